//! The application: routes, put together once.

use alula_router::RouteError;

use crate::routes::{Endpoint, Site};
use crate::{Config, Error, Event, Incoming, IntoResponse, Refusal, Request, Server};

/// Routes and what answers them.
///
/// Paths are literal segments, `{name}` for one segment, and `{name:path}` for all the rest; the
/// most specific one wins, whatever the order. HEAD goes to the route of GET where it has none of
/// its own, OPTIONS and a wrong method (405) are answered with the path's methods in `Allow`.
///
/// Handlers are shared by all threads and run on them: one that waits holds up every other client
/// of its thread. What takes long is [held](Request::hold) and answered by another thread.
#[derive(Debug, Default)]
pub struct App {
    site: Site,
    /// The first route that could not be registered.
    error: Option<RouteError>,
}

macro_rules! methods {
    ($($name:ident $method:literal)+) => {$(
        #[doc = concat!("Adds a route for ", $method, "; see [`route`](Self::route).")]
        #[must_use]
        pub fn $name<F, R>(self, path: &str, handler: F) -> Self
        where
            F: Fn(&Request<'_>) -> R + Send + Sync + 'static,
            R: IntoResponse,
        {
            self.route($method, path, handler)
        }
    )+};
}

impl App {
    /// An application without routes.
    pub fn new() -> Self {
        Self::default()
    }

    methods! {
        get "GET"
        post "POST"
        put "PUT"
        patch "PATCH"
        delete "DELETE"
        head "HEAD"
        options "OPTIONS"
    }

    /// Adds a route: requests with this method whose path is like `path` are answered by `handler`,
    /// once their body is whole. A body beyond [`Config::body_buffer`] gets a 413.
    ///
    /// A method or path that is malformed, or taken already, is told by [`bind`](Self::bind).
    #[must_use]
    pub fn route<F, R>(self, method: &str, path: &str, handler: F) -> Self
    where
        F: Fn(&Request<'_>) -> R + Send + Sync + 'static,
        R: IntoResponse,
    {
        let whole = move |request: &Request<'_>| handler(request).into_response();
        self.add(method, path, Endpoint::Whole(Box::new(whole)))
    }

    /// Adds a route whose handler is called as soon as the head is in, with the body still to come:
    /// it is taken piece by piece, or read by another thread, in fixed memory.
    ///
    /// ```
    /// use alula::{App, Body, Incoming, Request};
    ///
    /// App::new()
    ///     .streaming("POST", "/count", |_: &Request, body: Incoming| {
    ///         body.fold(0, |total, piece| *total += piece.len(), |total| total.to_string())
    ///     })
    ///     .streaming("POST", "/echo", |_: &Request, body: Incoming| {
    ///         let (mut writer, answer) = Body::pipe();
    ///         let mut reader = body.into_reader();
    ///         std::thread::spawn(move || {
    ///             std::io::copy(&mut reader, &mut writer)?;
    ///             writer.finish();
    ///             std::io::Result::Ok(())
    ///         });
    ///         answer
    ///     });
    /// ```
    #[must_use]
    pub fn streaming<F, R>(self, method: &str, path: &str, handler: F) -> Self
    where
        F: Fn(&Request<'_>, Incoming) -> R + Send + Sync + 'static,
        R: IntoResponse,
    {
        let streaming = move |request: &Request<'_>, incoming: Incoming| {
            handler(request, incoming).into_response()
        };
        self.add(method, path, Endpoint::Streaming(Box::new(streaming)))
    }

    /// Says what answers look like that no handler gives: see [`Refusal`]. The status is set, and
    /// `Allow` added, whatever `answer` returns. In plain text by default.
    #[must_use]
    pub fn refusals<F, R>(mut self, answer: F) -> Self
    where
        F: Fn(&Refusal) -> R + Send + Sync + 'static,
        R: IntoResponse,
    {
        self.site.refuse = Box::new(move |refusal| answer(refusal).into_response());
        self
    }

    /// Says where events go; by default, those that the application or the system is to blame for
    /// go to the standard error stream. It is called on the reactors' threads and must not wait.
    #[must_use]
    pub fn log(mut self, log: impl Fn(&Event<'_>) + Send + Sync + 'static) -> Self {
        self.site.log = Box::new(log);
        self
    }

    /// Checks routes and configuration, and listens: connections are queued from now on, and served
    /// once the server [runs](Server::run).
    ///
    /// # Errors
    ///
    /// A route or an option that is not valid, or a place that can't be listened on.
    pub fn bind(self, config: Config) -> Result<Server, Error> {
        match self.error {
            Some(error) => Err(error.into()),
            None => Server::bind(self.site, config),
        }
    }

    /// Listens and serves, until the process is told to end by SIGINT or SIGTERM; then finishes
    /// what is in flight.
    ///
    /// # Errors
    ///
    /// As [`bind`](Self::bind), or where a reactor fails.
    pub fn serve(self, config: Config) -> Result<(), Error> {
        self.bind(config)?.run()
    }

    fn add(mut self, method: &str, path: &str, endpoint: Endpoint) -> Self {
        if let Err(error) = self.site.add(method, path, endpoint) {
            self.error.get_or_insert(error);
        }
        self
    }
}
