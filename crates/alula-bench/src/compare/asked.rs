//! What a measurement asks for: one request, or several by weight.

use std::collections::BTreeMap;

use super::exchange::{Exchange, Wrong};
use super::suite::Measure;
use crate::request::Request as Load;

/// The requests of a measurement.
#[derive(Debug)]
pub struct Asked<'a> {
    /// What a server has to answer rightly to count as ready.
    pub first: &'a Exchange,
    /// What the load asks, and how often against the others.
    mix: Vec<(&'a Exchange, u32)>,
}

impl<'a> Asked<'a> {
    /// What a measurement asks for, of all the requests that its suite has.
    ///
    /// # Panics
    ///
    /// If it names one that is not among them, which no suite that was read does.
    pub fn of(what: &Measure, exchanges: &'a BTreeMap<String, Exchange>) -> Self {
        let first = &exchanges[&what.request];
        let mix = what.mix.iter();
        let mut mix: Vec<_> = mix
            .map(|(name, weight)| (&exchanges[name], *weight))
            .collect();
        if mix.is_empty() {
            mix.push((first, 1));
        }
        Self { first, mix }
    }

    /// Asks for each twice on one new connection.
    ///
    /// # Errors
    ///
    /// The first answer that is not the right one.
    pub fn check(&self, port: u16) -> Result<(), Wrong> {
        for (exchange, _) in &self.mix {
            exchange.check(port).map_err(|wrong| match wrong {
                Wrong::Answer(what) if self.mix.len() > 1 => {
                    Wrong::Answer(format!("request \"{}\": {what}", exchange.name))
                }
                wrong => wrong,
            })?;
        }
        Ok(())
    }

    /// The requests as the load generator takes them; at least one.
    pub fn for_load(&self) -> Vec<Load> {
        let requests = self.mix.iter().map(|(exchange, weight)| Load {
            weight: *weight,
            ..exchange.for_load()
        });
        requests.collect()
    }

    /// What is asked by weight, for a reader; `None` if it is one request.
    pub fn weights(&self) -> Option<String> {
        let weights = self.mix.iter();
        let weights: Vec<String> = weights
            .map(|(exchange, weight)| format!("{} {weight}", exchange.name))
            .collect();
        (weights.len() > 1).then(|| weights.join(", "))
    }
}
