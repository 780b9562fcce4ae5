//! The ledger: what was measured, in order. Entries are added at its end and never touched again.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// Adds an entry at the end of a file, which is made if there is none.
///
/// # Errors
///
/// If it can't be written.
pub fn append(path: &Path, heading: &str, entry: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    // In one piece, so that two runs at once don't mix their entries.
    file.write_all(format!("\n## {heading}\n\n{}\n", entry.trim_end()).as_bytes())
}

#[cfg(test)]
mod tests {
    use alula_testkit::Scratch;

    use super::append;

    #[test]
    fn what_stands_there_stays() {
        let scratch = Scratch::new().expect("a folder");
        let path = scratch.join("LEDGER.md");
        std::fs::write(&path, "# Ledger\n").expect("written");
        append(&path, "one", "first\n\n").expect("appended");
        append(&path, "two", "second").expect("appended");
        let text = std::fs::read_to_string(&path).expect("read");
        assert_eq!(text, "# Ledger\n\n## one\n\nfirst\n\n## two\n\nsecond\n");
    }

    #[test]
    fn a_file_that_is_not_there_is_made() {
        let scratch = Scratch::new().expect("a folder");
        append(&scratch.join("new.md"), "one", "first").expect("appended");
        let text = std::fs::read_to_string(scratch.join("new.md")).expect("read");
        assert_eq!(text, "\n## one\n\nfirst\n");
    }
}
