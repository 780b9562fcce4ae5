//! Self-contained pages: tables and plots, made here, with nothing fetched from anywhere.
//!
//! # Layout
//!
//! - [`markup`]: text made safe; elements
//! - [`scale`]: from values to places, and where an axis has its marks
//! - [`lines`]: plots of lines; [`bars`]: charts of bars with their spread
//! - `run`: the page of single runs; `comparison`: the page of a comparison

pub mod bars;
mod comparison;
pub mod lines;
pub mod markup;
mod run;
pub mod scale;

pub use comparison::comparison;
pub use run::page;

const STYLE: &str = include_str!("html/style.css");

/// A whole page around a body that is HTML already.
fn document(title: &str, body: &str) -> String {
    let title = markup::escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n{body}</main>\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests;
