//! Options from the environment: `ALULA_*`, and the two variables that uvicorn reads too.

use super::error::{ConfigError, Origin};
use super::later;
use super::resolve::Layer;
use super::spec::{Kind, Spec};
use super::table::OPTIONS;
use super::value::Value;

const PREFIX: &str = "ALULA_";

/// Variables that other servers share, used where the `ALULA_*` one is not set.
const SHARED: [(&str, &str); 2] = [
    ("WEB_CONCURRENCY", "workers"),
    ("FORWARDED_ALLOW_IPS", "forwarded_allow_ips"),
];

/// The variables of an environment that Alula reads.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: Vec<(String, String)>,
}

impl Environment {
    /// Picks Alula's variables out of an environment. Of two of the same name the first counts.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let ours = |name: &str| {
            name.starts_with(PREFIX) || SHARED.iter().any(|(shared, _)| *shared == name)
        };
        Self {
            variables: variables
                .into_iter()
                .filter(|(name, _)| ours(name))
                .collect(),
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.variables
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Everything that is set.
    ///
    /// # Errors
    ///
    /// When an option does not take the value of its variable, or a variable asks for an option
    /// that comes later.
    pub fn layer(&self) -> Result<Layer, ConfigError> {
        for (variable, _) in &self.variables {
            let name = variable
                .strip_prefix(PREFIX)
                .unwrap_or("")
                .to_ascii_lowercase();
            if let Some(reason) = later::reason(&name) {
                let origin = Origin::Variable(variable.clone());
                return Err(ConfigError::Option {
                    option: variable.clone(),
                    reason,
                    origin,
                });
            }
        }
        let mut layer = Layer::default();
        for spec in OPTIONS {
            if let Some(text) = self.get(&spec.variable()) {
                set(&mut layer, spec, text, &spec.variable())?;
            }
        }
        self.add_shared(&mut layer)?;
        Ok(layer)
    }

    /// Only what uvicorn's Python API reads as well.
    ///
    /// # Errors
    ///
    /// When an option does not take the value of its variable.
    pub fn shared(&self) -> Result<Layer, ConfigError> {
        let mut layer = Layer::default();
        self.add_shared(&mut layer)?;
        Ok(layer)
    }

    fn add_shared(&self, layer: &mut Layer) -> Result<(), ConfigError> {
        for (variable, name) in SHARED {
            let spec = OPTIONS.iter().find(|spec| spec.name() == name);
            if let (Some(spec), Some(text), None) = (spec, self.get(variable), layer.get(name)) {
                set(layer, spec, text, variable)?;
            }
        }
        Ok(())
    }

    /// Variables that look like Alula's and are not: most likely mistyped.
    pub fn unknown(&self) -> Vec<&str> {
        let known = |variable: &str| {
            !variable.starts_with(PREFIX) || OPTIONS.iter().any(|spec| spec.variable() == variable)
        };
        let names = self.variables.iter().map(|(name, _)| name.as_str());
        names.filter(|name| !known(name)).collect()
    }
}

fn set(layer: &mut Layer, spec: &Spec, text: &str, variable: &str) -> Result<(), ConfigError> {
    let origin = Origin::Variable(variable.to_owned());
    layer.set(spec, split(spec.kind, text), variable, &origin)
}

/// Lists are split at commas, headers, which may contain commas, at line ends.
fn split(kind: Kind, text: &str) -> Value {
    let separator = match kind {
        Kind::Texts | Kind::Directories => ',',
        Kind::Headers => '\n',
        _ => return Value::Text(text.to_owned()),
    };
    let items = text
        .split(separator)
        .map(str::trim)
        .filter(|item| !item.is_empty());
    Value::List(items.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::resolve;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::new(
            variables
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned())),
        )
    }

    #[test]
    fn every_option_has_a_variable_of_its_own() {
        let mut names: Vec<String> = OPTIONS.iter().map(Spec::variable).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), OPTIONS.len());
        assert!(names.contains(&"ALULA_TIMEOUT_KEEP_ALIVE".to_owned()));
    }

    #[test]
    fn lists_are_split_at_commas_and_headers_at_line_ends() {
        let layer = environment(&[
            ("ALULA_RELOAD_INCLUDE", "*.html, *.css"),
            ("ALULA_HEADER", "A: 1,2\nB: 3\n"),
            ("ALULA_USE_COLORS", "off"),
        ]);
        let config = resolve(&[layer.layer().expect("accepted")]).expect("consistent");
        assert_eq!(config.reload_includes, ["*.html", "*.css"]);
        assert_eq!(config.headers.len(), 2);
        assert_eq!(config.headers[0].1, "1,2");
        assert_eq!(config.use_colors, Some(false));
    }

    #[test]
    fn shared_variables_count_where_ours_are_not_set() {
        let shared = [("WEB_CONCURRENCY", "3"), ("FORWARDED_ALLOW_IPS", "*")];
        let config = resolve(&[environment(&shared).layer().expect("accepted")]).expect("fine");
        assert_eq!(
            (config.workers, config.forwarded_allow_ips),
            (3, vec!["*".to_owned()])
        );
        let both = environment(&[("WEB_CONCURRENCY", "3"), ("ALULA_WORKERS", "2")]);
        assert_eq!(
            resolve(&[both.layer().expect("accepted")])
                .expect("fine")
                .workers,
            2
        );
    }

    #[test]
    fn an_error_names_the_variable() {
        let error = environment(&[("WEB_CONCURRENCY", "many")])
            .layer()
            .expect_err("no number");
        assert_eq!(
            error.to_string(),
            "WEB_CONCURRENCY: \"many\" in the environment is not accepted; \
             expected a whole number from 1 to 4096"
        );
        let error = environment(&[("ALULA_SSL_KEYFILE", "k")])
            .layer()
            .expect_err("no TLS");
        assert!(
            error
                .to_string()
                .starts_with("ALULA_SSL_KEYFILE in the environment: TLS")
        );
    }

    #[test]
    fn mistyped_variables_are_found() {
        let environment = environment(&[("ALULA_PROT", "1"), ("ALULA_PORT", "1"), ("PROT", "1")]);
        assert_eq!(environment.unknown(), ["ALULA_PROT"]);
    }
}
