use super::{comparison, page};
use crate::compare::comparison::{Comparison, Round, Table};
use crate::compare::figure::Figure;
use crate::compare::suite::Role;
use crate::report::{Latency, Report};
use crate::sample;

pub(super) fn report(name: &str) -> Report {
    let run = sample::report(name);
    Report {
        url: "http://127.0.0.1:1/?a=1&b=<2>".to_owned(),
        requests_per_second: 12_345.0,
        seconds: 3.0,
        latency: Latency {
            p50: 100.0,
            p99: 2_000.0,
            ..run.latency
        },
        ..run
    }
}

fn compared(name: &str) -> Comparison {
    let round = |value: f64| Round {
        figures: [(Figure::PerSecond, value), (Figure::P99, 0.002)].into(),
        report: Some(Box::new(report(name))),
        ..Round::default()
    };
    let row =
        |server: &str, values: [f64; 3]| sample::row(server, Role::Peer, values.map(round).into());
    let rows = vec![row(name, [10.0, 30.0, 20.0]), row("other", [5.0, 6.0, 7.0])];
    sample::comparison(Table {
        title: "plain <text>".to_owned(),
        notes: vec!["a <note>".to_owned()],
        ..sample::table(vec![Figure::PerSecond, Figure::P99], rows)
    })
}

/// The names of the elements of well-formed XML; fails the test if it is not.
fn elements(xml: &str) -> Vec<String> {
    let (mut names, mut open) = (Vec::new(), Vec::new());
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        assert!(!text.contains('>') && well_escaped(text), "text {text:?}");
        let end = rest[start..].find('>').expect("an end of the tag") + start;
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "closing tag");
            continue;
        }
        let closed = tag.strip_suffix('/');
        let tag = closed.unwrap_or(tag);
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        check_attributes(attributes);
        names.push(name.to_owned());
        if closed.is_none() {
            open.push(name.to_owned());
        }
    }
    assert!(
        open.is_empty() && rest.trim().is_empty(),
        "open: {open:?}, behind: {rest:?}"
    );
    names
}

fn check_attributes(attributes: &str) {
    let mut rest = attributes.trim();
    while !rest.is_empty() {
        let (name, behind) = rest.split_once("=\"").expect("name=\"value\"");
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':');
        assert!(name.chars().all(plain), "attribute {name:?}");
        let (value, behind) = behind.split_once('"').expect("a closing quote");
        assert!(
            !value.contains('<') && well_escaped(value),
            "value {value:?}"
        );
        rest = behind.trim_start();
    }
}

/// Every ampersand begins one of the references that are made here.
fn well_escaped(text: &str) -> bool {
    let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    let mut references = text.split('&').skip(1);
    references.all(|behind| known.iter().any(|name| behind.starts_with(name)))
}

/// Every picture of a page.
fn pictures(page: &str) -> Vec<&str> {
    let begin = page.match_indices("<svg ").map(|(at, _)| at);
    begin
        .map(|at| {
            let end = page[at..].find("</svg>").expect("an end") + at;
            &page[at..end + "</svg>".len()]
        })
        .collect()
}

const NASTY: &str = "<b>\"'&\u{0}";

#[test]
fn the_page_of_a_run_has_two_plots_of_well_formed_xml() {
    let page = page(&[report(NASTY), report("two")]);
    let pictures = pictures(&page);
    assert_eq!(pictures.len(), 2);
    for picture in pictures {
        let elements = elements(picture);
        assert_eq!(
            elements.iter().filter(|name| *name == "path").count(),
            2,
            "{elements:?}"
        );
        assert!(
            elements.iter().filter(|name| *name == "text").count() > 8,
            "{elements:?}"
        );
    }
    for value in ["12.3 k", "2.00 ms", "9.00 ms", "99.9", "15.0 k"] {
        assert!(page.contains(&format!(">{value}<")), "{value}");
    }
}

#[test]
fn the_page_of_a_comparison_has_bars_with_spread_and_plots() {
    let page = comparison(&compared(NASTY));
    let pictures = pictures(&page);
    assert_eq!(pictures.len(), 4, "two charts and two plots");
    for picture in &pictures[..2] {
        let elements = elements(picture);
        let count = |wanted: &str| elements.iter().filter(|name| *name == wanted).count();
        assert_eq!((count("rect"), count("line")), (2, 2), "{elements:?}");
    }
    for picture in &pictures[2..] {
        elements(picture);
    }
    for text in [
        "20 (10–30)",
        "6 (5–7)",
        "A test",
        "plain: plain &lt;text&gt;",
        "a &lt;note&gt;",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(page.contains("prefers-color-scheme: dark"));
}

#[test]
fn bars_are_as_long_as_their_medians() {
    let page = comparison(&compared("one"));
    let width = |picture: &str, index: usize| -> f64 {
        let rect = picture.split("<rect ").nth(index + 1).expect("a bar");
        let value = rect.split("width=\"").nth(1).expect("a width");
        value
            .split('"')
            .next()
            .expect("a value")
            .parse()
            .expect("a number")
    };
    let speed = pictures(&page)[0];
    let ratio = width(speed, 0) / width(speed, 1);
    assert!((ratio - 20.0 / 6.0).abs() < 0.01, "{ratio}");
}

#[test]
fn a_server_keeps_its_colour_whatever_place_it_takes() {
    let mut compared = compared("best");
    compared.tables[0].rows.reverse();
    let page = comparison(&compared);
    let chart = pictures(&page)[0];
    let first = chart.split("<rect class=\"").nth(1).expect("a bar");
    assert!(
        chart.find(">best<") < chart.find(">other<") && first.starts_with("f1\""),
        "{chart}"
    );
    let plot = pictures(&page)[2];
    let first = plot.split("<path class=\"curve ").nth(1).expect("a line");
    assert!(
        first.starts_with("l1\"") && first.contains("<title>best</title>"),
        "{plot}"
    );
    assert!(page.contains("f1\"></span>best</li>"));
}

#[test]
fn pages_fetch_nothing_and_hold_no_text_as_markup() {
    for page in [page(&[report(NASTY)]), comparison(&compared(NASTY))] {
        assert!(!page.contains("<b>") && !page.contains('\u{0}'));
        assert!(page.contains("&lt;b&gt;&quot;&#39;&amp;\u{fffd}"));
        assert!(!page.contains("<script"));
        let without_namespace = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        for fetching in ["src=", "href=", "url(", "@import", "<link"] {
            assert!(!without_namespace.contains(fetching), "{fetching}");
        }
    }
}

#[test]
fn a_run_that_measured_nothing_has_a_page_all_the_same() {
    let page = page(&[Report::default()]);
    assert_eq!(pictures(&page).len(), 0);
    assert!(page.contains("Nothing was measured."));
}

#[test]
fn a_run_of_one_bucket_and_one_second_has_visible_lines() {
    let mut short = report("short");
    short.histogram.truncate(1);
    short.series.truncate(1);
    let page = page(&[short]);
    for picture in pictures(&page) {
        let path = picture.split(" d=\"").nth(1).expect("a path");
        let path = path.split('"').next().expect("its end");
        assert!(path.contains('L'), "{path}");
    }
}
