//! Plots of lines.

use std::fmt::Write as _;

use super::markup::{COLOURS, escape};
use super::scale::Scale;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 48.0;
/// Points closer to each other than this, in units of the picture, are one.
const FINE: f64 = 0.5;

/// A line: its name, and its points in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// For those who read the picture without seeing it, or point at it.
    pub name: String,
    /// Which colour it has; beyond the last one they begin anew, dashed.
    pub colour: usize,
    /// Values along both axes.
    pub points: Vec<(f64, f64)>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is along it, with its unit.
    pub title: String,
    /// How values become places.
    pub scale: Scale,
    /// Values and texts of its marks.
    pub marks: Vec<(f64, String)>,
}

/// An SVG picture of lines; `label` says what it shows.
pub fn plot(label: &str, x: &Axis, y: &Axis, lines: &[Line]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{}\">\n",
        escape(label)
    );
    axes(&mut svg, x, y);
    for line in lines {
        let points = line.points.iter();
        let places = points.map(|&(at, value)| (across(x, at), up(y, value)));
        curve(&mut svg, line, places);
    }
    svg + "</svg>\n"
}

fn across(axis: &Axis, value: f64) -> f64 {
    LEFT + axis.scale.place(value) * (WIDTH - LEFT - RIGHT)
}

fn up(axis: &Axis, value: f64) -> f64 {
    HEIGHT - BOTTOM - axis.scale.place(value) * (HEIGHT - TOP - BOTTOM)
}

// Writing to a string cannot fail, so that the results below mean nothing.
fn axes(svg: &mut String, x: &Axis, y: &Axis) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for (value, text) in &y.marks {
        let at = up(y, *value);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/>\n\
             <text class=\"faint\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            at + 4.0,
            escape(text)
        );
    }
    for (value, text) in &x.marks {
        let at = across(x, *value);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{bottom}\"/>\n\
             <text class=\"faint\" x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 18.0,
            escape(text)
        );
    }
    let middle = f64::midpoint(TOP, bottom);
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(16 {middle}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        f64::midpoint(LEFT, right),
        HEIGHT - 8.0,
        escape(&x.title),
        escape(&y.title)
    );
}

fn curve(svg: &mut String, line: &Line, places: impl Iterator<Item = (f64, f64)>) {
    let mut path = String::new();
    let mut last: Option<(f64, f64)> = None;
    let mut held = None;
    for (x, y) in places {
        match last {
            Some((x0, y0)) if (x - x0).abs() < FINE && (y - y0).abs() < FINE => {
                held = Some((x, y));
                continue;
            }
            _ => held = None,
        }
        let verb = if last.is_none() { 'M' } else { 'L' };
        let _ = write!(path, "{verb}{x:.1} {y:.1}");
        last = Some((x, y));
    }
    if let Some((x, y)) = held {
        let _ = write!(path, "L{x:.1} {y:.1}");
    }
    let dash = if line.colour < COLOURS { "" } else { " dash" };
    let colour = line.colour % COLOURS;
    if !path.is_empty() {
        let _ = writeln!(
            svg,
            "<path class=\"curve l{colour}{dash}\" d=\"{path}\"><title>{}</title></path>",
            escape(&line.name)
        );
    }
}
