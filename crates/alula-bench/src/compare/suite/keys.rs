//! Takes keys out of a TOML table, and says precisely what is wrong with one.

use std::collections::BTreeMap;
use std::path::Path;

use toml::{Table, Value};

use super::SuiteError;

/// A table of which keys are taken one by one; what is left at the end is unknown.
#[derive(Debug)]
pub(super) struct Keys<'a> {
    file: &'a Path,
    /// What stands before a key in a message, with its dot: `server[2].`.
    prefix: String,
    table: Table,
    asked: Vec<&'static str>,
}

impl<'a> Keys<'a> {
    pub(super) fn new(file: &'a Path, prefix: &str, table: Table) -> Self {
        Self {
            file,
            prefix: prefix.to_owned(),
            table,
            asked: Vec::new(),
        }
    }

    /// The key's value, if it is there.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Value> {
        self.asked.push(key);
        self.table.remove(key)
    }

    pub(super) fn refuse(&self, key: &str, value: &Value, accepted: &str) -> SuiteError {
        SuiteError::Value {
            path: self.file.to_owned(),
            key: format!("{}{key}", self.prefix),
            value: value.to_string().trim().to_owned(),
            accepted: accepted.to_owned(),
        }
    }

    pub(super) fn missing(&self, key: &str, accepted: &str) -> SuiteError {
        SuiteError::Missing {
            path: self.file.to_owned(),
            key: format!("{}{key}", self.prefix),
            accepted: accepted.to_owned(),
        }
    }

    /// A value that `convert` accepts; `None` if the key is not there.
    pub(super) fn optional<T>(
        &mut self,
        key: &'static str,
        accepted: &str,
        convert: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, SuiteError> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        match convert(&value) {
            Some(converted) => Ok(Some(converted)),
            None => Err(self.refuse(key, &value, accepted)),
        }
    }

    /// A value that `convert` accepts.
    pub(super) fn required<T>(
        &mut self,
        key: &'static str,
        accepted: &str,
        convert: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T, SuiteError> {
        self.optional(key, accepted, convert)?
            .ok_or_else(|| self.missing(key, accepted))
    }

    /// A whole number within bounds.
    pub(super) fn whole(
        &mut self,
        key: &'static str,
        from: u32,
        to: u32,
    ) -> Result<Option<u32>, SuiteError> {
        let accepted = format!("a whole number from {from} to {to}");
        self.optional(key, &accepted, |value| {
            let number = u32::try_from(value.as_integer()?).ok()?;
            (from..=to).contains(&number).then_some(number)
        })
    }

    /// A text that is not empty.
    pub(super) fn text(&mut self, key: &'static str) -> Result<Option<String>, SuiteError> {
        self.optional(key, TEXT, text)
    }

    /// A program and its arguments.
    pub(super) fn command(&mut self, key: &'static str) -> Result<Option<Vec<String>>, SuiteError> {
        self.optional(key, COMMAND, command)
    }

    /// Texts by name.
    pub(super) fn texts(
        &mut self,
        key: &'static str,
    ) -> Result<BTreeMap<String, String>, SuiteError> {
        let found = self.optional(key, "a table of texts", |value| {
            let pairs = value.as_table()?.iter();
            pairs
                .map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                .collect()
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The tables of `[[key]]`, each with its place and, once it is known, its name.
    pub(super) fn tables(&mut self, key: &'static str) -> Result<Vec<Keys<'a>>, SuiteError> {
        let accepted = format!("tables that begin with [[{key}]]");
        let tables = self.optional(key, &accepted, |value| {
            let items = value.as_array()?.iter();
            items
                .map(|item| item.as_table().cloned())
                .collect::<Option<Vec<_>>>()
        })?;
        let numbered = tables.unwrap_or_default().into_iter().enumerate();
        Ok(numbered
            .map(|(index, table)| self.below(&format!("{key}[{}].", index + 1), table))
            .collect())
    }

    /// A table below this one.
    pub(super) fn below(&self, prefix: &str, table: Table) -> Keys<'a> {
        Keys::new(self.file, &format!("{}{prefix}", self.prefix), table)
    }

    /// Refuses keys that nobody asked for.
    pub(super) fn finish(self) -> Result<(), SuiteError> {
        match self.table.keys().next() {
            None => Ok(()),
            Some(key) => Err(SuiteError::Unknown {
                path: self.file.to_owned(),
                key: format!("{}{key}", self.prefix),
                accepted: self.asked.join(", "),
            }),
        }
    }
}

pub(super) const TEXT: &str = "a text that is not empty";
pub(super) const COMMAND: &str = "a list of texts: a program and its arguments";

pub(super) fn text(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

pub(super) fn list(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array()?.iter();
    items.map(|item| item.as_str().map(str::to_owned)).collect()
}

pub(super) fn command(value: &Value) -> Option<Vec<String>> {
    list(value).filter(|words| words.first().is_some_and(|program| !program.is_empty()))
}

/// A number, whole or not.
pub(super) fn number(value: &Value) -> Option<f64> {
    #[allow(clippy::cast_precision_loss)] // exact up to 2^53, far beyond any bound
    let whole = value.as_integer().map(|number| number as f64);
    whole.or_else(|| value.as_float())
}
