//! The interleaved rounds of a measurement: A B C, A B C, …, each server started anew each time.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::asked::Asked;
use super::comparison::{Round, Row, Table};
use super::exchange::Exchange;
use super::expand::expand;
use super::measure::{Conditions, Failure, capacity, measure};
use super::pin::Pinning;
use super::process::{Launch, Running, free_port};
use super::suite::{Kind, Measure, Rate, Server, Suite};
use super::verdict::{Spread, judge};

/// Of a core; more use by others than this is noted.
const OTHERS: f64 = 0.05;
/// How often a server's capacity is measured, for a rate that is a share of it.
const CAPACITY_ROUNDS: usize = 3;

/// Runs the measurements of a suite.
pub struct Rounds<'a> {
    /// What is run.
    pub suite: &'a Suite,
    /// Servers that have no part in anything, and why: it went wrong, or it was meant so.
    pub absent: &'a BTreeMap<String, Absence>,
    /// The requests, by name.
    pub exchanges: &'a BTreeMap<String, Exchange>,
    /// A folder for logs and answers.
    pub scratch: &'a Path,
    /// How servers are put on their core.
    pub pinning: &'a Pinning,
    /// The user wants an end.
    pub interrupted: &'a AtomicBool,
    /// Where progress is told.
    pub progress: &'a mut dyn Write,
}

/// Why a server has no part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It was left out on purpose.
    LeftOut(String),
    /// It should have had one.
    Failed(String),
}

impl Rounds<'_> {
    /// All the rounds of one measurement; what there is of them if the user wants an end.
    pub fn run(&mut self, what: &Measure) -> Table {
        let asked = Asked::of(what, self.exchanges);
        let mut notes = Vec::new();
        let mut table = self.empty(what, &asked);
        notes.extend(
            asked
                .weights()
                .map(|weights| format!("asked by weight: {weights}")),
        );
        match self.rate(what, &asked, &mut notes) {
            Ok(rate) => table.rate = rate,
            Err(why) => {
                for row in table.rows.iter_mut().filter(|row| row.left_out.is_none()) {
                    row.failure.get_or_insert_with(|| why.clone());
                }
            }
        }
        let count = self.suite.rounds.max(what.rounds.unwrap_or(1));
        for number in 1..=count {
            for index in 0..table.rows.len() {
                if self.interrupted.load(Ordering::Relaxed) {
                    break;
                }
                if table.rows[index].failure.is_none() && table.rows[index].left_out.is_none() {
                    let place = format!("{} {number}/{count}", what.name);
                    self.one(what, &asked, &mut table, index, &place);
                }
            }
        }
        notes.extend(noise(&table));
        table.notes = notes;
        table.verdicts = judge(&table, &what.targets);
        table
    }

    fn empty(&self, what: &Measure, asked: &Asked<'_>) -> Table {
        let wanted =
            |server: &&Server| what.servers.is_empty() || what.servers.contains(&server.name);
        let servers = self.suite.servers.iter().filter(wanted);
        let request = self.suite.request(&what.request);
        let request = request.map(|it| format!("{} {}", it.method, it.path));
        let request = asked.weights().or(request);
        Table {
            name: what.name.clone(),
            title: what.title.clone(),
            kind: what.kind.name().to_owned(),
            request: request.unwrap_or_else(|| asked.first.name.clone()),
            connections: what.connections,
            threads: what.threads,
            rate: None,
            figures: what.figures.clone(),
            rows: servers.map(|server| self.row(what, server)).collect(),
            verdicts: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn row(&self, what: &Measure, server: &Server) -> Row {
        let mut row = Row {
            server: server.name.clone(),
            role: server.role,
            rounds: Vec::new(),
            failure: None,
            left_out: None,
        };
        match self.absent.get(&server.name) {
            Some(Absence::LeftOut(why)) => row.left_out = Some(why.clone()),
            Some(Absence::Failed(why)) => row.failure = Some(why.clone()),
            None if server.with.get(&what.with) == Some(&None) => {
                row.left_out = Some(format!("it can't do with \"{}\"", what.with));
            }
            None => {}
        }
        row
    }

    fn one(
        &mut self,
        what: &Measure,
        asked: &Asked<'_>,
        table: &mut Table,
        index: usize,
        place: &str,
    ) {
        let row = &mut table.rows[index];
        let Some(server) = self.suite.server(&row.server) else {
            return;
        };
        let conditions = self.conditions();
        let round = self
            .start(server, &what.with, asked.first)
            .and_then(|running| {
                let round = measure(&running, what, asked, table.rate, &conditions);
                round.map_err(|failure| with_tail(failure, &running))
            });
        let said = match round {
            Ok(round) => {
                let said = shown(&round, &table.figures);
                row.rounds.push(round);
                said
            }
            Err(Failure::Interrupted) => return,
            Err(Failure::NoSpeed(why)) => {
                let said = format!("no speed: {why}");
                row.failure = Some(why);
                said
            }
        };
        self.tell(&format!("  {place:20} {:12} {said}", server.name));
    }

    fn conditions(&self) -> Conditions<'_> {
        let pinned = |core: Option<u32>| core.filter(|_| self.pinning.is_possible());
        Conditions {
            seconds: self.suite.seconds,
            warmup: self.suite.warmup,
            server_core: pinned(self.suite.server_core),
            load_core: pinned(self.suite.load_core),
            interrupted: self.interrupted,
        }
    }

    /// Starts a server for a request, and waits until it gives the right answer.
    fn start(&self, server: &Server, with: &str, exchange: &Exchange) -> Result<Running, Failure> {
        let launch = self
            .launch(server, with, exchange)
            .map_err(Failure::NoSpeed)?;
        let running = Running::start(&launch, exchange, server.ready, self.interrupted)?;
        Ok(running)
    }

    fn launch(&self, server: &Server, with: &str, exchange: &Exchange) -> Result<Launch, String> {
        let port = free_port()?;
        let mut values = self.values(exchange, port)?;
        values.extend(server.set.clone());
        let arguments = [with, "default"]
            .iter()
            .find_map(|name| server.with.get(*name).cloned().flatten())
            .unwrap_or_default();
        let mut command = Vec::new();
        for word in &server.command {
            match word.as_str() {
                "{with}" => command.extend(arguments.iter().map(|word| expand(word, &values))),
                word => command.push(expand(word, &values)),
            }
        }
        command[0] = program(&command[0], &self.suite.root);
        let environment = server.environment.iter();
        Ok(Launch {
            command: self.pinning.on_core(self.suite.server_core, command),
            directory: server.directory.clone(),
            environment: environment
                .map(|(name, value)| (name.clone(), expand(value, &values)))
                .collect(),
            log: self.scratch.join(format!("{port}.log")),
            port,
        })
    }

    /// The values of all placeholders.
    fn values(&self, exchange: &Exchange, port: u16) -> Result<BTreeMap<String, String>, String> {
        // One file a request, however often it is asked.
        let requests = &mut self.suite.requests.iter();
        let index = requests.position(|request| request.name == exchange.name);
        let answer = self.scratch.join(format!("{}.answer", index.unwrap_or(0)));
        std::fs::write(&answer, exchange.constant_answer())
            .map_err(|error| format!("{}: {error}", answer.display()))?;
        let mut values = self.suite.set.clone();
        if let Some(request) = self.suite.request(&exchange.name) {
            values.extend(request.set.clone());
        }
        for (name, value) in [
            ("port", port.to_string()),
            ("root", self.suite.root.display().to_string()),
            ("scratch", self.scratch.display().to_string()),
            ("request-bytes", exchange.wire.len().to_string()),
            ("answer-file", answer.display().to_string()),
        ] {
            values.insert(name.to_owned(), value);
        }
        Ok(values)
    }

    /// The rate of an open loop.
    fn rate(
        &mut self,
        what: &Measure,
        asked: &Asked<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Option<f64>, String> {
        let (share, of) = match &what.kind {
            Kind::Open(Rate::Fixed(rate)) => {
                notes.push(format!("offered: {rate:.0} requests/s"));
                return Ok(Some(*rate));
            }
            Kind::Open(Rate::Share { share, of }) => (*share, of),
            _ => return Ok(None),
        };
        let no_rate = |why: String| format!("no rate to offer, as {of} has no speed: {why}");
        let server = self
            .suite
            .server(of)
            .ok_or_else(|| no_rate("unknown".to_owned()))?;
        match self.absent.get(of) {
            Some(Absence::LeftOut(why) | Absence::Failed(why)) => return Err(no_rate(why.clone())),
            None => {}
        }
        let mut found = Vec::new();
        for _ in 0..CAPACITY_ROUNDS {
            let conditions = self.conditions();
            let one = self
                .start(server, &what.with, asked.first)
                .and_then(|running| capacity(&running, what, asked, &conditions));
            found.push(one.map_err(|failure| no_rate(failure.to_string()))?);
        }
        let capacity = Spread::of(&found).map_or(0.0, |spread| spread.median);
        let rate = (capacity * share).round();
        let said = format!(
            "offered: {rate:.0} requests/s, {share} of the {capacity:.0} that {of} answers in a \
             closed loop (median of {CAPACITY_ROUNDS})"
        );
        self.tell(&format!("  {said}"));
        notes.push(said);
        Ok(Some(rate))
    }

    fn tell(&mut self, line: &str) {
        // Progress that nobody can read any longer is no reason to stop measuring.
        let _ = writeln!(self.progress, "{line}");
    }
}

/// A program with a folder in its name is below the root; one without is looked for on the path.
pub fn program(word: &str, root: &Path) -> String {
    if word.contains('/') {
        root.join(word).display().to_string()
    } else {
        word.to_owned()
    }
}

/// What the server wrote belongs to what went wrong with it.
fn with_tail(failure: Failure, running: &Running) -> Failure {
    match failure {
        Failure::NoSpeed(why) => {
            Failure::NoSpeed(format!("{why}; the server's output: {}", running.tail()))
        }
        Failure::Interrupted => Failure::Interrupted,
    }
}

fn shown(round: &Round, figures: &[super::figure::Figure]) -> String {
    let values = figures.iter().filter_map(|figure| {
        let value = round.figures.get(figure)?;
        Some(format!("{} {}", figure.title(), figure.show(*value)))
    });
    let mut shown = values.collect::<Vec<_>>().join(", ");
    if round.saturated {
        shown.push_str(" (generator saturated)");
    }
    shown
}

/// Where others used the cores meanwhile.
fn noise(table: &Table) -> Vec<String> {
    let mut notes = Vec::new();
    for core in ["server", "load"] {
        let mut noisy = Vec::new();
        for row in &table.rows {
            let shares = row.rounds.iter().filter_map(|round| match core {
                "server" => round.shares.others_on_server_core,
                _ => round.shares.others_on_load_core,
            });
            let median = Spread::of(&shares.collect::<Vec<_>>()).map_or(0.0, |it| it.median);
            if median > OTHERS {
                noisy.push(format!("{:.0} % ({})", median * 100.0, row.server));
            }
        }
        if !noisy.is_empty() {
            notes.push(format!(
                "noisy: others used the {core} core: {}",
                noisy.join(", ")
            ));
        }
    }
    notes
}
