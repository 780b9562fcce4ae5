//! The suites that come with the project.

use std::collections::BTreeMap;
use std::path::Path;

use alula_bench::compare::suite::{Role, read};

#[test]
fn every_suite_is_accepted_and_has_a_subject_to_judge() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/suites");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).expect("bench/suites") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if name.starts_with("servers-") {
            continue; // Included by others, and read with them.
        }
        let suite = read(&path, &BTreeMap::new()).unwrap_or_else(|error| panic!("{error}"));
        let roles: Vec<Role> = suite.servers.iter().map(|server| server.role).collect();
        assert!(
            roles.contains(&Role::Subject) && roles.contains(&Role::Peer),
            "{name}"
        );
        assert!(suite.baseline.is_some(), "{name}");
        let root = suite.root.join("bench/suites");
        assert!(
            root.is_dir(),
            "{name}: its root is the project's: {}",
            root.display()
        );
        names.push(name);
    }
    names.sort();
    assert_eq!(
        names,
        [
            "asgi",
            "compiled",
            "fastapi",
            "frameworks",
            "native",
            "threads"
        ]
    );
}
