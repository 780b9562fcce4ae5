//! One more server for a suite: a copy of another one with another value for a placeholder.

use super::suite::Suite;

/// What the command line accepts.
pub const ACCEPTED: &str = "NAME=SERVER:PLACEHOLDER=VALUE";

/// A server that is a copy of another one but for a placeholder; such as another build of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Its own name.
    pub name: String,
    /// The server that it is a copy of.
    pub of: String,
    /// The placeholder that differs.
    pub placeholder: String,
    /// Its value.
    pub value: String,
}

impl Variant {
    /// Reads `NAME=SERVER:PLACEHOLDER=VALUE`.
    ///
    /// # Errors
    ///
    /// What is accepted, if it is something else.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=').and_then(|(name, rest)| {
            let (of, rest) = rest.split_once(':')?;
            let (placeholder, value) = rest.split_once('=')?;
            Some([name, of, placeholder, value])
        });
        match parts {
            Some(parts) if parts.iter().all(|part| !part.is_empty()) => {
                let [name, of, placeholder, value] = parts.map(str::to_owned);
                Ok(Self {
                    name,
                    of,
                    placeholder,
                    value,
                })
            }
            _ => Err(format!("{ACCEPTED} is accepted")),
        }
    }

    /// Puts it behind the server that it is a copy of, in all that this one has a part in.
    ///
    /// # Errors
    ///
    /// A server or placeholder that the suite does not have, or a name that it has already.
    pub fn add_to(&self, suite: &mut Suite) -> Result<(), String> {
        let servers: Vec<&str> = suite.servers.iter().map(|it| it.name.as_str()).collect();
        let missing = |what: &str, name: &str, known: &[&str]| {
            let known = known.join(", ");
            Err(format!(
                "--variant: there is no {what} {name:?}; there are {known}"
            ))
        };
        let Some(at) = servers.iter().position(|name| *name == self.of) else {
            return missing("server", &self.of, &servers);
        };
        if servers.contains(&self.name.as_str()) {
            return Err(format!(
                "--variant: there is a server {:?} already",
                self.name
            ));
        }
        if !suite.set.contains_key(&self.placeholder) {
            let names: Vec<&str> = suite.set.keys().map(String::as_str).collect();
            return missing("placeholder", &self.placeholder, &names);
        }
        let mut copy = suite.servers[at].clone();
        copy.name.clone_from(&self.name);
        copy.set
            .insert(self.placeholder.clone(), self.value.clone());
        suite.servers.insert(at + 1, copy);
        for measure in &mut suite.measures {
            if measure.servers.contains(&self.of) {
                measure.servers.push(self.name.clone());
            }
        }
        Ok(())
    }
}
