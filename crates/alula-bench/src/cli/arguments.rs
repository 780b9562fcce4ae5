//! The grammar of the command line.

use clap::{Arg, ArgAction, ArgGroup, Command};

const ABOUT: &str = "Load an HTTP server, check every answer, and report latencies and throughput";

const AFTER_HELP: &str = "\
Also: `alula bench compare SUITE.toml` and `alula bench gate OLD.json NEW.json`; see their --help.

One request of each kind goes out before the run and is not counted. Unless told otherwise, every \
answer has to have a status of 200 to 299 and a body as long as the first one's. A wrong answer, a \
socket error or a timeout makes the exit status 1; a wrong command line makes it 2.

Times are numbers with us, ms, s, m or h; seconds if there is none.";

/// The whole grammar.
pub(super) fn command() -> Command {
    let args = [load(), request(), expectations(), output()];
    Command::new("alula bench")
        .bin_name("alula bench")
        .about(ABOUT)
        .after_help(AFTER_HELP)
        .max_term_width(110)
        .arg_required_else_help(true)
        .arg(
            Arg::new("url")
                .value_name("URL")
                .required(true)
                .help("http://HOST[:PORT][/PATH][?QUERY]"),
        )
        .args(args.into_iter().flatten())
        .group(ArgGroup::new("some-body").args(["body", "body-file", "body-template"]))
        .group(ArgGroup::new("some-expected").args(["expect-body", "expect-body-file"]))
        .group(ArgGroup::new("some-extent").args(["duration", "requests"]))
}

fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value)
        .num_args(1)
        .allow_hyphen_values(true)
        .help(help)
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn load() -> Vec<Arg> {
    let args = vec![
        option("connections", "N", "Open connections, over all threads")
            .short('c')
            .default_value("32"),
        option("threads", "N", "Threads, each with connections of its own")
            .short('t')
            .default_value("1"),
        option("duration", "TIME", "How long to measure [default: 10s]").short('d'),
        option("requests", "N", "Measure so many requests instead").short('n'),
        option("warmup", "TIME", "Load that is not measured, first").default_value("1s"),
        option(
            "rate",
            "N",
            "Open loop: so many requests a second fall due, whatever the server does; latency counts \
             from then. Without it each connection waits for its answer (closed loop)",
        ),
        option("pipeline", "N", "Requests under way on one connection").default_value("1"),
        switch(
            "no-keepalive",
            "A connection a request; latency counts from before it is made",
        ),
        option("timeout", "TIME", "Give up an answer after so long").default_value("5s"),
        option(
            "unix",
            "PATH",
            "Connect to a Unix socket; the URL only names host and path",
        ),
        option(
            "pid",
            "PID",
            "Report CPU and memory of this process and all below it",
        ),
        switch(
            "find-limit",
            "Find the highest rate that keeps --slo; each try lasts --warmup and --duration, and \
             --rate is the first",
        )
        .requires("slo"),
        option(
            "slo",
            "BOUNDS",
            "Such as p99<10ms or p99<10ms,max<1s (p50, p90, p99, p99.9, p99.99, max, mean)",
        )
        .requires("find-limit"),
    ];
    args.into_iter()
        .map(|arg| arg.help_heading("Load"))
        .collect()
}

fn request() -> Vec<Arg> {
    let args = vec![
        option("method", "METHOD", "Its method [default: GET, with a body POST]").short('m'),
        option("header", "NAME: VALUE", "A further header; may be repeated")
            .short('H')
            .action(ArgAction::Append),
        option("body", "TEXT", "Its body"),
        option("body-file", "FILE", "Its body, from a file"),
        option(
            "body-template",
            "TEXT",
            "Its body, in which each {counter} becomes a number that no other request has",
        ),
        option(
            "requests-file",
            "FILE",
            "Several kinds of request with weights, TOML or JSON: tables [[request]] with path, and \
             if need be name, method, headers, body, body_file, body_template, weight, \
             expect_status, expect_length, expect_body, expect_body_file, expect_json",
        )
        .conflicts_with_all(["method", "header", "some-body", "some-expected"])
        .conflicts_with_all(["expect-status", "expect-length", "expect-json"]),
    ];
    args.into_iter()
        .map(|arg| arg.help_heading("Request"))
        .collect()
}

fn expectations() -> Vec<Arg> {
    let args = vec![
        option(
            "expect-status",
            "STATUS",
            "Every answer's status [default: 200 to 299]",
        ),
        option(
            "expect-length",
            "BYTES|first|any",
            "Every body's length [default: first, that of the first answer; any with a template or \
             --expect-json]",
        ),
        option("expect-body", "TEXT", "Every whole body"),
        option("expect-body-file", "FILE", "Every whole body, from a file"),
        option(
            "expect-json",
            "POINTER=VALUE",
            "A value in every JSON body, such as /user/id=42; may be repeated",
        )
        .action(ArgAction::Append),
    ];
    args.into_iter()
        .map(|arg| arg.help_heading("Expected answers"))
        .collect()
}

fn output() -> Vec<Arg> {
    let args = vec![
        option(
            "name",
            "TEXT",
            "What the report is called [default: the URL]",
        ),
        option(
            "json",
            "FILE",
            "Write the report as JSON (-: standard output)",
        ),
        option(
            "markdown",
            "FILE",
            "Write the report as Markdown (-: standard output)",
        ),
        option(
            "html",
            "FILE",
            "Write the report as a page (-: standard output)",
        ),
        switch("quiet", "Show nothing while it runs").short('q'),
    ];
    args.into_iter()
        .map(|arg| arg.help_heading("Output"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn the_grammar_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn a_file_of_requests_takes_the_place_of_options_for_one() {
        for option in [
            "--method",
            "--header",
            "--body",
            "--body-file",
            "--body-template",
            "--expect-status",
            "--expect-length",
            "--expect-body",
            "--expect-body-file",
            "--expect-json",
        ] {
            let line = ["alula bench", "URL", "--requests-file", "F", option, "x"];
            let error = command().try_get_matches_from(line).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("cannot be used with"), "{option}: {text}");
            assert!(text.contains(option), "{option}: {text}");
        }
    }
}
