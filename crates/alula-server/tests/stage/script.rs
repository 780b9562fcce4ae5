//! The application: what it does, the path says.

use std::cell::RefCell;
use std::collections::HashMap;
use std::iter::once;
use std::sync::mpsc::Sender;

use alula_http::Request;
use alula_server::{ConnectionInfo, ExchangeId, Finish, Flow, Handler, Receive, SendError, Worker};
use alula_testkit::pattern;

/// What one exchange is about.
#[derive(Clone, Debug)]
enum Act {
    /// Read the whole body, then answer with it.
    Echo(Vec<u8>),
    /// Answer with this piece (then `next` pieces more of the same size).
    Send {
        body: Vec<u8>,
        from: usize,
        piece: usize,
        begun: bool,
        declared: Option<usize>,
    },
    /// Read to the end without keeping anything, then answer with the number of bytes.
    Count(usize),
    /// Wait for the disconnect and report it.
    Watch,
    /// Neither receive nor answer.
    Hold,
    /// Begin an answer, then wait for the disconnect and end it.
    Silent,
}

impl Act {
    /// Send it in one piece, with this Content-Length or none.
    fn whole(body: Vec<u8>, declared: Option<usize>) -> Self {
        Self::Send {
            body,
            from: 0,
            piece: usize::MAX,
            begun: false,
            declared,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Script {
    acts: RefCell<HashMap<ExchangeId, (String, Act)>>,
    report: Sender<String>,
}

impl Script {
    pub(crate) fn new(report: Sender<String>) -> Self {
        Self {
            acts: RefCell::new(HashMap::new()),
            report,
        }
    }

    fn tell(&self, what: String) {
        // Nobody may listen any more when a test is over.
        let _ = self.report.send(what);
    }

    fn begin(&self, worker: &Worker<Self>, id: ExchangeId, path: &str) {
        let (verb, number) = path
            .trim_start_matches('/')
            .split_once('/')
            .unwrap_or((path, "0"));
        let number: usize = number.parse().unwrap_or(0);
        let act = match verb {
            "/echo" => Act::Echo(Vec::new()),
            "/count" => Act::Count(0),
            "/watch" => Act::Watch,
            "/hold" => Act::Hold,
            "/first" => {
                worker.respond(id, 200, once(kind("text/plain"))).unwrap();
                Act::Echo(Vec::new())
            }
            "/drip" => return self.drip(worker, id),
            "/silent" => {
                worker
                    .respond(id, 200, once(kind("text/event-stream")))
                    .unwrap();
                worker.send_body(id, b"data: 1\n\n", true).unwrap();
                Act::Silent
            }
            "blob" => Act::whole(pattern(number), None),
            "over" => Act::whole(pattern(number + 1), Some(number)),
            "tally" => {
                self.tell(String::from("asked"));
                Act::whole(pattern(number), None)
            }
            "stream" => Act::Send {
                body: pattern(number),
                from: 0,
                piece: 8192,
                begun: false,
                declared: None,
            },
            "overlap" => return self.overlap(worker, id, number),
            "give-up" => return self.give_up(worker, id, number),
            _ => return self.act_at_once(worker, id, path),
        };
        self.acts.borrow_mut().insert(id, (path.to_owned(), act));
        self.go_on(worker, id);
    }

    fn act_at_once(&self, worker: &Worker<Self>, id: ExchangeId, path: &str) {
        match path {
            "/panic" => panic!("as asked"),
            "/unstarted" => assert_eq!(worker.finish(id), Finish::Unstarted),
            "/started" => {
                worker.respond(id, 200, once(kind("text/plain"))).unwrap();
                assert_eq!(worker.finish(id), Finish::Unstarted);
            }
            "/unfinished" => {
                worker.respond(id, 200, once(kind("text/plain"))).unwrap();
                worker.send_body(id, b"half", true).unwrap();
                assert_eq!(worker.finish(id), Finish::Unfinished);
            }
            "/long" | "/short" => {
                worker
                    .respond(id, 200, once((&b"content-length"[..], &b"4"[..])))
                    .unwrap();
                let body: &[u8] = if path == "/long" { b"123456" } else { b"12" };
                let error = worker.send_body(id, body, false).unwrap_err();
                self.tell(format!("{error:?}"));
            }
            _ => answer(worker, id, b"OK"),
        }
    }

    /// Sends a second piece before the first is handed over whole.
    fn overlap(&self, worker: &Worker<Self>, id: ExchangeId, size: usize) {
        worker.respond(id, 200, once(kind("text/plain"))).unwrap();
        let first = worker.send_body(id, &pattern(size), true).unwrap();
        assert!(first.taken < size, "the socket takes {size} bytes at once");
        let second = worker.send_body(id, b"between", true);
        self.tell(format!("{second:?}"));
    }

    /// Sends part of a last piece, and no more.
    fn give_up(&self, worker: &Worker<Self>, id: ExchangeId, size: usize) {
        worker.respond(id, 200, once(kind("text/plain"))).unwrap();
        worker.send_body(id, b"first", true).unwrap();
        let last = worker.send_body(id, &pattern(size), false).unwrap();
        assert!(last.taken < size, "the socket takes {size} bytes at once");
        worker.abort(id);
        self.tell(String::from("given up"));
    }

    /// Sends small pieces until it has to wait, and reports how many.
    fn drip(&self, worker: &Worker<Self>, id: ExchangeId) {
        worker.respond(id, 200, once(kind("text/plain"))).unwrap();
        let sends = std::iter::repeat_with(|| worker.send_body(id, b"123456789", true).unwrap());
        let pieces = sends.take_while(|sent| sent.flow == Flow::Ready).count();
        self.tell(pieces.to_string());
    }

    fn go_on(&self, worker: &Worker<Self>, id: ExchangeId) {
        let Some((path, mut act)) = self.acts.borrow_mut().remove(&id) else {
            return;
        };
        let done = match &mut act {
            Act::Echo(body) => {
                let read = |worker: &Worker<Self>, body: &mut Vec<u8>| loop {
                    match worker.receive(id, |bytes| body.extend_from_slice(bytes)) {
                        Receive::Body { more: true, .. } => {}
                        Receive::Body { more: false, .. } => return true,
                        Receive::Pending => return false,
                        Receive::Disconnected => {
                            self.tell(format!("disconnected {path}"));
                            worker.finish(id);
                            return true;
                        }
                    }
                };
                let done = read(worker, body);
                if done {
                    let _ = worker.respond(id, 200, once(kind("application/octet-stream")));
                    let body = std::mem::take(body);
                    let sent = worker.send_body(id, &body, false);
                    self.rest(worker, id, &path, body, sent)
                } else {
                    false
                }
            }
            Act::Count(total) => self.count(worker, id, total),
            Act::Send { .. } => self.send(worker, id, &mut act),
            Act::Hold => false,
            Act::Watch | Act::Silent => self.watch(worker, id, &path, &act),
        };
        if !done {
            self.acts.borrow_mut().entry(id).or_insert((path, act));
        }
    }

    /// Keeps what a send did not take as an act of its own.
    fn rest(
        &self,
        worker: &Worker<Self>,
        id: ExchangeId,
        path: &str,
        body: Vec<u8>,
        sent: Result<alula_server::Sent, SendError>,
    ) -> bool {
        match sent {
            Ok(sent) if sent.taken < body.len() => {
                let act = Act::Send {
                    from: sent.taken,
                    body,
                    piece: usize::MAX,
                    begun: true,
                    declared: None,
                };
                self.acts.borrow_mut().insert(id, (path.to_owned(), act));
                false
            }
            _ => {
                worker.finish(id);
                true
            }
        }
    }

    fn count(&self, worker: &Worker<Self>, id: ExchangeId, total: &mut usize) -> bool {
        loop {
            match worker.receive(id, <[u8]>::len) {
                Receive::Body { value, more: true } => *total += value,
                Receive::Body { value, more: false } => {
                    answer(worker, id, (*total + value).to_string().as_bytes());
                    return true;
                }
                Receive::Pending => return false,
                Receive::Disconnected => {
                    self.tell(format!("disconnected after {total}"));
                    return true;
                }
            }
        }
    }

    fn send(&self, worker: &Worker<Self>, id: ExchangeId, act: &mut Act) -> bool {
        let Act::Send {
            body,
            from,
            piece,
            begun,
            declared,
        } = act
        else {
            unreachable!()
        };
        if *from == 0 && !*begun {
            let length = declared.map(|length| length.to_string());
            let length = length
                .as_ref()
                .map(|length| (&b"content-length"[..], length.as_bytes()));
            let headers = once(kind("application/octet-stream")).chain(length);
            worker.respond(id, 200, headers).unwrap();
        }
        while *from < body.len() || !*begun {
            let to = (*from).saturating_add(*piece).min(body.len());
            let more = to < body.len();
            let sent = if *begun && *piece == usize::MAX {
                worker.send_rest(id, &body[*from..to], more)
            } else {
                worker.send_body(id, &body[*from..to], more)
            };
            *begun = true;
            match sent {
                Ok(sent) => {
                    // The pieces of a stream are below the size that is taken in part.
                    *from += sent.taken;
                    if sent.flow == Flow::Wait {
                        return false;
                    }
                }
                Err(error) => {
                    self.tell(format!("{error:?} at {from}"));
                    return true;
                }
            }
        }
        true
    }

    fn watch(&self, worker: &Worker<Self>, id: ExchangeId, path: &str, act: &Act) -> bool {
        loop {
            match worker.receive(id, |_| ()) {
                Receive::Body { .. } => {}
                Receive::Pending => return false,
                Receive::Disconnected => break,
            }
        }
        self.tell(format!("disconnected {path}"));
        if matches!(act, Act::Silent) {
            let _ = worker.send_body(id, b"data: end\n\n", false);
        } else {
            let _ = worker.respond(id, 200, once(kind("text/plain")));
            let _ = worker.send_body(id, b"seen", false);
        }
        true
    }
}

fn kind(value: &'static str) -> (&'static [u8], &'static [u8]) {
    (b"content-type", value.as_bytes())
}

fn answer(worker: &Worker<Script>, id: ExchangeId, body: &[u8]) {
    worker.respond(id, 200, once(kind("text/plain"))).unwrap();
    let _ = worker.send_body(id, body, false);
    worker.finish(id);
}

impl Handler for Script {
    type Call = String;

    fn prepare(&self, request: &Request<'_>, _: &ConnectionInfo, _: ExchangeId) -> String {
        String::from_utf8(request.path().to_vec()).unwrap()
    }

    fn start(&self, worker: &Worker<Self>, id: ExchangeId, path: String) {
        self.begin(worker, id, &path);
    }

    fn readable(&self, worker: &Worker<Self>, id: ExchangeId) {
        self.go_on(worker, id);
    }

    fn writable(&self, worker: &Worker<Self>, id: ExchangeId) {
        self.go_on(worker, id);
    }

    fn disconnected(&self, worker: &Worker<Self>, id: ExchangeId) {
        self.go_on(worker, id);
    }

    fn rejected(&self, _: &ConnectionInfo, status: Option<u16>, reason: &'static str) {
        self.tell(format!("rejected {status:?}: {reason}"));
    }
}
