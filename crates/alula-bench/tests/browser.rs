//! The pages of `--html` in a real headless browser: they lay out, in light and in dark, and fetch
//! nothing.

mod sample;

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use alula_bench::compare::comparison::{Comparison, Round, Table};
use alula_bench::compare::figure::Figure;
use alula_bench::compare::suite::Role;
use alula_bench::html;
use alula_testkit::Scratch;
use sample::report;

/// Measures the page that it is put into, and leaves what it found in the page.
const PROBE: &str = r#"<script>
addEventListener("load", () => {
    const pictures = [...document.querySelectorAll("svg")].map(svg => {
        const box = svg.getBoundingClientRect();
        const marks = [...svg.querySelectorAll("path.curve, rect")];
        const drawn = marks.filter(mark => {
            const inner = mark.getBoundingClientRect();
            const style = getComputedStyle(mark);
            const visible = style.stroke !== "none" || style.fill !== "none";
            return visible && inner.width > 1 && inner.left >= box.left - 1
                && inner.right <= box.right + 1 && inner.top >= box.top - 1
                && inner.bottom <= box.bottom + 1;
        });
        const texts = [...svg.querySelectorAll("text")];
        const outside = texts.filter(text => {
            const inner = text.getBoundingClientRect();
            return inner.left < box.left - 1 || inner.right > box.right + 1
                || inner.top < box.top - 1 || inner.bottom > box.bottom + 1;
        });
        return [Math.round(box.width), marks.length, drawn.length, texts.length,
                outside.map(text => text.textContent)].join(":");
    });
    const body = getComputedStyle(document.body);
    const fetched = performance.getEntriesByType("resource").length;
    const wide = document.documentElement.scrollWidth > innerWidth;
    document.title = ["probed", body.backgroundColor, body.color, "fetched=" + fetched,
                      "wide=" + wide, ...pictures].join("|");
});
</script>"#;

fn comparison() -> Comparison {
    let round = |value: f64| Round {
        figures: [(Figure::PerSecond, value), (Figure::P99, 0.002)].into(),
        report: Some(Box::new(report("a round"))),
        ..Round::default()
    };
    let row =
        |server: &str, values: [f64; 3]| sample::row(server, Role::Peer, values.map(round).into());
    let rows = vec![
        row("a-server-with-a-name", [1e5, 3e5, 2e5]),
        row("other", [5e4, 6e4, 7e4]),
    ];
    sample::comparison(Table {
        title: "plain text".to_owned(),
        ..sample::table(vec![Figure::PerSecond, Figure::P99], rows)
    })
}

/// A browser on this machine, or `None` with a word of it.
fn browser() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let found = std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file());
    if found.is_none() {
        // Past the test runner, which shows nothing of a test that passes.
        let _ = writeln!(
            std::io::stderr(),
            "browser.rs: skipped, as no browser is on the path, none of {}; as root, \
             `apt-get install chromium` brings one (Debian)",
            names.join(", ")
        );
    }
    found
}

/// Answers every request with the page, until it is asked for the end; the paths asked for.
fn serve(listener: &TcpListener, page: &str) -> Vec<String> {
    let mut asked = Vec::new();
    for client in listener.incoming() {
        let mut client = client.expect("a connection");
        let mut line = String::new();
        let mut reader = BufReader::new(client.try_clone().expect("a second handle"));
        // A browser may connect in advance and never ask.
        client
            .set_read_timeout(Some(Duration::from_secs(2)))
            .expect("set");
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            continue;
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        if path == "/end" {
            return asked;
        }
        while line != "\r\n" {
            line.clear();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                break;
            }
        }
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n",
            page.len()
        );
        // A browser that went away will be missed below.
        let _ = client.write_all(head.as_bytes());
        let _ = client.write_all(page.as_bytes());
        asked.push(path);
    }
    asked
}

fn ask(port: u16, path: &str) {
    let mut client = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    client.write_all(request.as_bytes()).expect("sent");
}

/// What the probe says of a page, piece by piece.
fn probe(browser: &Path, folder: &Scratch, page: &str, dark: bool) -> Vec<String> {
    let probed = page.replacen("</head>", &format!("{PROBE}</head>"), 1);
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = listener.local_addr().expect("an address").port();
    let server = std::thread::spawn(move || serve(&listener, &probed));
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--window-size=1000,800",
    ]);
    // The numbers of blink::mojom::PreferredColorScheme: dark and light.
    let scheme = i32::from(!dark);
    command.arg(format!("--blink-settings=preferredColorScheme={scheme}"));
    command.arg(format!(
        "--user-data-dir={}",
        folder.join("profile").display()
    ));
    command.arg("--dump-dom");
    command.arg(format!("http://127.0.0.1:{port}/page"));
    let output = command.stderr(Stdio::null()).output().expect("a browser");
    ask(port, "/end");
    let asked = server.join().expect("a server");
    let strange: Vec<&String> = asked
        .iter()
        .filter(|path| !matches!(path.as_str(), "/page" | "/favicon.ico"))
        .collect();
    assert!(strange.is_empty(), "the page fetches {strange:?}");
    let document = String::from_utf8_lossy(&output.stdout).into_owned();
    let title = document
        .split("<title>")
        .nth(1)
        .and_then(|rest| rest.split("</title>").next());
    let title = title.unwrap_or_else(|| panic!("no title in {document}"));
    assert!(
        title.starts_with("probed|"),
        "the probe did not run: {title}"
    );
    title.split('|').skip(1).map(str::to_owned).collect()
}

#[test]
fn pages_lay_out_in_light_and_in_dark_and_fetch_nothing() {
    let Some(browser) = browser() else {
        return;
    };
    let folder = Scratch::new().expect("a folder");
    let pages = [
        (html::page(&[report("one"), report("two")]), 2),
        (html::comparison(&comparison()), 4),
    ];
    for (page, pictures) in &pages {
        let light = probe(&browser, &folder, page, false);
        let dark = probe(&browser, &folder, page, true);
        assert_eq!(light[..2], ["rgb(255, 255, 255)", "rgb(29, 29, 33)"]);
        assert_eq!(dark[..2], ["rgb(22, 22, 26)", "rgb(231, 231, 236)"]);
        for found in [light, dark] {
            assert_eq!(found[2..4], ["fetched=0", "wide=false"]);
            assert_eq!(found.len() - 4, *pictures, "{found:?}");
            for picture in &found[4..] {
                let parts: Vec<&str> = picture.split(':').collect();
                let width: u32 = parts[0].parse().expect("a width");
                assert!(width > 600, "{picture}");
                assert_eq!(
                    parts[1..3],
                    ["2", "2"],
                    "all curves and bars are drawn: {picture}"
                );
                assert_eq!(parts[4], "", "texts beyond the picture: {picture}");
            }
        }
    }
}
