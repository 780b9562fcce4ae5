//! The `alula` command.

use std::process::{Command, Output};

fn alula(arguments: &[&str]) -> (Option<i32>, String, String) {
    let program = env!("CARGO_BIN_EXE_alula");
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(program).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn tells_its_version() {
    let version = format!("alula {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(alula(&["--version"]), (Some(0), version, String::new()));
}

#[test]
fn tells_what_it_can_do() {
    let (code, out, _) = alula(&["--help"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("bench"), "{out}");
}

#[test]
fn refuses_what_it_does_not_know_and_says_what_was_meant() {
    let (code, out, error) = alula(&["bnech", "http://localhost"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(
        error.contains("bnech") && error.contains("'bench'"),
        "{error}"
    );
    for arguments in [&["--nothing"][..], &["x"], &[]] {
        assert_eq!(alula(arguments).0, Some(2), "{arguments:?}");
    }
}

#[test]
fn hands_bench_over_with_its_options() {
    let (code, out, error) = alula(&["bench", "--help"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("URL"), "{out}");
}
