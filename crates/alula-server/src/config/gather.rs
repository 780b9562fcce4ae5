//! Brings the sources together: what one call of the program or of the Python API configures.

use super::dotenv;
use super::environment::Environment;
use super::error::ConfigError;
use super::file;
use super::resolve::{Layer, resolve};
use super::table::Config;
use super::value::Value;

/// Options that say where others come from, and so cannot come from there themselves.
const ROOTS: [&str; 2] = ["ALULA_CONFIG", "ALULA_ENV_FILE"];

/// A configuration, and what came to light on the way to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Gathered {
    /// The options.
    pub config: Config,
    /// The variables of the env file that the environment does not have yet.
    pub variables: Vec<(String, String)>,
    /// Variables that look like options and are none.
    pub unknown: Vec<String>,
}

/// What a command line and the whole environment add up to.
///
/// # Errors
///
/// When a file cannot be read or an option does not take a value.
pub fn command_line(first: Layer, variables: &[(String, String)]) -> Result<Gathered, ConfigError> {
    gather(first, variables, Environment::layer)
}

/// What keyword arguments, and the variables shared with other servers, add up to.
///
/// # Errors
///
/// When a file cannot be read or an option does not take a value.
pub fn keywords(first: Layer, variables: &[(String, String)]) -> Result<Gathered, ConfigError> {
    gather(first, variables, Environment::shared)
}

fn gather(
    first: Layer,
    variables: &[(String, String)],
    read: fn(&Environment) -> Result<Layer, ConfigError>,
) -> Result<Gathered, ConfigError> {
    let before = read(&Environment::new(variables.iter().cloned()))?;
    let file = match path(&[&first, &before], "config") {
        Some(path) => file::read(path.as_ref())?,
        None => Layer::default(),
    };
    let set = |name: &str| {
        let found = variables.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.clone())
    };
    let mut added = match path(&[&first, &before, &file], "env_file") {
        Some(path) => dotenv::read(path.as_ref(), set)?,
        None => Vec::new(),
    };
    added.retain(|(name, _)| set(name).is_none());
    // A later line of the file wins over an earlier one.
    let ours = added
        .iter()
        .rev()
        .filter(|(name, _)| !ROOTS.contains(&name.as_str()));
    let environment = Environment::new(variables.iter().chain(ours).cloned());
    let unknown = environment
        .unknown()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let config = resolve(&[first, read(&environment)?, file])?;
    Ok(Gathered {
        config,
        variables: added,
        unknown,
    })
}

fn path<'a>(layers: &[&'a Layer], name: &str) -> Option<&'a str> {
    layers.iter().find_map(|layer| match layer.get(name) {
        Some(Value::Text(path)) => Some(path.as_str()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::config::Origin;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("alula-{}-{name}", std::process::id()));
            std::fs::create_dir_all(&path).expect("a writable directory");
            Self(path)
        }

        fn write(&self, name: &str, text: &str) -> String {
            let path = self.0.join(name);
            std::fs::write(&path, text).expect("a writable directory");
            path.to_string_lossy().into_owned()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn layer(settings: &[(&str, &str)]) -> Layer {
        let mut layer = Layer::default();
        for (key, text) in settings {
            let value = Value::Text((*text).to_owned());
            layer
                .set_by_key(key, value, &Origin::CommandLine)
                .expect("accepted");
        }
        layer
    }

    fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn command_line_beats_environment_beats_file_beats_default() {
        let folder = Folder::new("precedence");
        let path = folder.write("a.toml", "port = 1\nbacklog = 1\nroot_path = '/file'");
        let environment = variables(&[
            ("ALULA_CONFIG", &path),
            ("ALULA_PORT", "2"),
            ("ALULA_BACKLOG", "2"),
        ]);
        let gathered = command_line(layer(&[("port", "3")]), &environment).expect("accepted");
        let config = gathered.config;
        assert_eq!((config.port, config.backlog), (3, 2));
        assert_eq!(
            (config.root_path.as_str(), config.host.as_str()),
            ("/file", "127.0.0.1")
        );
    }

    #[test]
    fn an_env_file_adds_to_the_environment_and_overrides_nothing() {
        let folder = Folder::new("env-file");
        let path = folder.write(
            "e",
            "A=1\nALULA_PORT=4\nWEB_CONCURRENCY=2\nALULA_CONFIG=/none\n",
        );
        let cli = layer(&[("env_file", &path)]);
        let gathered = command_line(cli.clone(), &variables(&[("A", "0")])).expect("accepted");
        assert_eq!((gathered.config.port, gathered.config.workers), (4, 2));
        assert!(gathered.variables.iter().all(|(name, _)| name != "A"));
        assert_eq!(gathered.config.config, None);
        let set = variables(&[("ALULA_PORT", "5")]);
        assert_eq!(command_line(cli, &set).expect("accepted").config.port, 5);
    }

    #[test]
    fn keywords_see_only_the_shared_variables() {
        let environment = variables(&[
            ("ALULA_PORT", "2"),
            ("WEB_CONCURRENCY", "3"),
            ("ALULA_PROT", ""),
        ]);
        let gathered = keywords(Layer::default(), &environment).expect("accepted");
        assert_eq!((gathered.config.port, gathered.config.workers), (8000, 3));
        let gathered = keywords(layer(&[("workers", "2")]), &environment).expect("accepted");
        assert_eq!(gathered.config.workers, 2);
    }

    #[test]
    fn mistyped_variables_come_to_light() {
        let environment = variables(&[("ALULA_PROT", "2")]);
        let gathered = command_line(Layer::default(), &environment).expect("accepted");
        assert_eq!(gathered.unknown, ["ALULA_PROT"]);
    }
}
