//! Cores: `taskset` puts servers on one and the load on another, where that program exists.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program, if it is to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinning {
    program: Option<PathBuf>,
}

impl Pinning {
    /// Looks for `taskset` on the path.
    pub fn find() -> Self {
        Self {
            program: on_path("taskset"),
        }
    }

    /// Nothing is pinned.
    pub fn none() -> Self {
        Self { program: None }
    }

    /// Whether anything can be pinned.
    pub fn is_possible(&self) -> bool {
        self.program.is_some()
    }

    /// The command, on that core. The process that it makes is still the command's own.
    pub fn on_core(&self, core: Option<u32>, command: Vec<String>) -> Vec<String> {
        let (Some(program), Some(core)) = (&self.program, core) else {
            return command;
        };
        let program = program.to_string_lossy().into_owned();
        let mut pinned = vec![program, "-c".to_owned(), core.to_string()];
        pinned.extend(command);
        pinned
    }

    /// Pins this process, with all its threads, until the answer is dropped.
    ///
    /// # Errors
    ///
    /// What `taskset` says; a core that does not exist, above all.
    pub fn pin_self(&self, core: Option<u32>) -> Result<Pinned, String> {
        let (Some(program), Some(core)) = (&self.program, core) else {
            return Ok(Pinned { before: None });
        };
        let said = run(program, &["-c", "-p", &own()])?;
        let before = said
            .rsplit(':')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned();
        run(program, &["-a", "-c", "-p", &core.to_string(), &own()])?;
        Ok(Pinned {
            before: Some((program.clone(), before)),
        })
    }

    /// Whether commands can be started on that core; the answer is why not.
    ///
    /// # Errors
    ///
    /// What `taskset` says.
    pub fn check(&self, core: Option<u32>) -> Result<(), String> {
        match (&self.program, core) {
            (Some(program), Some(core)) => {
                run(program, &["-c", &core.to_string(), "true"]).map(|_| ())
            }
            _ => Ok(()),
        }
    }
}

/// This process on one core; dropped, it may run where it might before.
#[derive(Debug)]
pub struct Pinned {
    before: Option<(PathBuf, String)>,
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some((program, cores)) = &self.before {
            // Nothing more is measured; if it fails, we are merely slower.
            let _ = run(program, &["-a", "-c", "-p", cores, &own()]);
        }
    }
}

fn own() -> String {
    std::process::id().to_string()
}

fn run(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

/// The program of that name in the folders of `PATH`.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::Pinning;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_command_is_prefixed_only_where_it_can_and_shall_be_pinned() {
        let pinning = Pinning {
            program: Some("/usr/bin/taskset".into()),
        };
        let pinned = pinning.on_core(Some(3), words("server --port 1"));
        assert_eq!(pinned, words("/usr/bin/taskset -c 3 server --port 1"));
        assert_eq!(pinning.on_core(None, words("server")), words("server"));
        assert_eq!(
            Pinning::none().on_core(Some(3), words("server")),
            words("server")
        );
    }

    #[test]
    fn a_core_that_does_not_exist_is_refused() {
        let pinning = Pinning::find();
        if !pinning.is_possible() {
            println!("skipped: there is no taskset");
            return;
        }
        assert_eq!(pinning.check(None), Ok(()));
        let said = pinning.check(Some(4000)).expect_err("no machine has it");
        assert!(said.contains("affinity"), "{said}");
    }
}
