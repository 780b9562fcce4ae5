//! `alula bench gate` on files: what it says and its exit status.

mod sample;

use std::ffi::OsString;
use std::path::PathBuf;

use alula_bench::compare::comparison::Comparison;
use alula_bench::compare::figure::Figure;
use alula_bench::compare::suite::Role;
use alula_bench::gate;
use alula_testkit::Scratch;

fn comparison(values: &[f64]) -> Comparison {
    let rounds = sample::rounds(Figure::PerCpuSecond, values);
    let row = sample::row("one", Role::Subject, rounds);
    sample::comparison(sample::table(vec![Figure::PerCpuSecond], vec![row]))
}

fn file(folder: &Scratch, name: &str, values: &[f64]) -> PathBuf {
    let path = folder.join(name);
    let text = serde_json::to_string(&comparison(values)).expect("written");
    std::fs::write(&path, text).expect("written");
    path
}

#[test]
fn exit_statuses_on_both_sides_of_the_bound() {
    let folder = Scratch::new().expect("a folder");
    let old = file(&folder, "old.json", &[100.0, 100.0, 105.0]);
    let status = |new: &[f64], more: &[&str]| {
        let new = file(&folder, "new.json", new);
        let mut arguments: Vec<OsString> = vec![old.clone().into(), new.into()];
        arguments.extend(more.iter().map(OsString::from));
        gate::run(&arguments)
    };
    // The noise is 5, the older file's spread.
    assert_eq!(status(&[95.0; 3], &[]), 0);
    assert_eq!(status(&[94.9; 3], &[]), 1);
    assert_eq!(status(&[94.9; 3], &["--floor", "6"]), 0);
    assert_eq!(status(&[200.0; 3], &[]), 0);
    // Files that cannot be compared.
    assert_eq!(status(&[100.0; 2], &[]), 2);
    assert_eq!(
        gate::run(&[old.clone().into(), folder.join("none.json").into()]),
        2
    );
    let other = folder.join("other.json");
    std::fs::write(&other, "{\"name\": \"a run\"}").expect("written");
    assert_eq!(gate::run(&[old.clone().into(), other.into()]), 2);
    assert_eq!(gate::run(&[old.into()]), 2);
    assert_eq!(gate::run(&["--help".into()]), 0);
}
