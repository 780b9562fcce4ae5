//! The table of options as `docs/options.md` shows it.

use std::fmt::Write as _;

use super::spec::{Group, Kind, Spec};
use super::table::OPTIONS;

const HEAD: &str = "\
# Options

Each option can be given on the command line of `alula serve`, as a variable of the environment, as a key of the TOML
file that `--config` names, and as a keyword argument of `alula.Config` and `alula.run`. The command line wins over the
environment, the environment over the file, the file over the default. Names, defaults and units are uvicorn's wherever
uvicorn has the option.

In the environment on and off are written `true` and `false`, lists are separated by commas, headers by line ends. A key
of the file is named as in Python, where `app` may also be the application itself and `log_config` a dictionary.
`WEB_CONCURRENCY` and `FORWARDED_ALLOW_IPS` are read where `ALULA_WORKERS` and
`ALULA_FORWARDED_ALLOW_IPS` are not set; of the environment these two alone count in the Python API.
";

/// The whole page.
pub fn page() -> String {
    let mut out = HEAD.to_owned();
    for group in Group::ALL {
        let _ = write!(
            out,
            "\n## {}\n\n\
             | command line | environment | Python | default | what it does |\n\
             | --- | --- | --- | --- | --- |\n",
            group.title()
        );
        for spec in OPTIONS.iter().filter(|spec| spec.group == group) {
            let _ = writeln!(out, "{}", row(spec));
        }
    }
    out
}

fn row(spec: &Spec) -> String {
    let forms: Vec<String> = spec
        .forms()
        .iter()
        .map(|form| format!("`{form}`"))
        .collect();
    let value = match spec.kind {
        Kind::Flag => String::new(),
        _ if spec.is_positional() => String::new(),
        kind => format!(" {}", kind.metavar().replace('|', "\\|")),
    };
    let default = match spec.preset.shown().as_str() {
        "" => String::new(),
        shown => format!("`{shown}`"),
    };
    format!(
        "| {}{value} | `{}` | `{}: {}` | {default} | {} |",
        forms.join(", "),
        spec.variable(),
        spec.name(),
        python_type(spec).replace('|', "\\|"),
        spec.help().replace('|', "\\|"),
    )
}

/// The annotation of the option in Python.
pub fn python_type(spec: &Spec) -> String {
    let optional = if spec.is_optional() { " | None" } else { "" };
    format!("{}{optional}", spec.kind.python_type())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::page;

    /// With `ALULA_WRITE_DOCS=1` in the environment the page is written instead.
    #[test]
    fn the_page_in_docs_is_up_to_date() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/options.md");
        if std::env::var_os("ALULA_WRITE_DOCS").is_some() {
            std::fs::write(&path, page()).expect("docs can be written");
        }
        let written = std::fs::read_to_string(&path).expect("docs/options.md exists");
        assert!(
            written == page(),
            "docs/options.md is not what the options say; run \
             `ALULA_WRITE_DOCS=1 cargo test -p alula-server markdown`"
        );
    }
}
