//! Charts of bars, each with its spread.

use std::fmt::Write as _;

use super::markup::{COLOURS, escape};
use super::scale::Scale;
use crate::compare::verdict::Spread;

const WIDTH: f64 = 900.0;
const ROW: f64 = 28.0;
const LEFT: f64 = 170.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 8.0;

/// A bar: whose it is, its length with its spread, and what stands behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Whose.
    pub name: String,
    /// Its length is the median.
    pub value: Spread,
    /// The value in words.
    pub text: String,
    /// Which colour it has.
    pub colour: usize,
}

/// An SVG picture of horizontal bars from zero; `label` says what it shows.
pub fn chart(label: &str, bars: &[Bar]) -> String {
    let highest = bars.iter().map(|bar| bar.value.highest).fold(0.0, f64::max);
    let scale = Scale::from_zero(highest);
    #[allow(clippy::cast_precision_loss)] // a handful of bars
    let height = TOP * 2.0 + ROW * bars.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"{}\">\n",
        escape(label)
    );
    let mut top = TOP;
    for bar in bars {
        one(&mut svg, bar, scale, top);
        top += ROW;
    }
    svg + "</svg>\n"
}

fn one(svg: &mut String, bar: &Bar, scale: Scale, top: f64) {
    let length = |value: f64| scale.place(value) * (WIDTH - LEFT - RIGHT);
    let (middle, colour) = (top + ROW / 2.0, bar.colour % COLOURS);
    let (low, high) = (
        LEFT + length(bar.value.lowest),
        LEFT + length(bar.value.highest),
    );
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n\
         <rect class=\"f{colour}\" x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\"/>\n\
         <line class=\"whisker\" x1=\"{low:.1}\" y1=\"{middle:.1}\" x2=\"{high:.1}\" y2=\"{middle:.1}\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        LEFT - 10.0,
        middle + 4.0,
        escape(&bar.name),
        top + 4.0,
        length(bar.value.median),
        ROW - 8.0,
        high + 8.0,
        middle + 4.0,
        escape(&bar.text)
    );
}
