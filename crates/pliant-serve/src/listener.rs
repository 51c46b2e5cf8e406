//! Accepts connections, within limits, and gives each a thread.

use crate::broadcast::{Broadcast, ViewerId};
use crate::http::{self, Request};
use crate::session::FromViewer;
use crate::token::{Token, hex};
use crate::viewer;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread::JoinHandle;
use std::time::Duration;

/// Connections at a time; further ones are refused.
const MOST_CONNECTIONS: usize = 64;
/// Time to wait for a connection before looking whether to stop.
const PAUSE: Duration = Duration::from_millis(20);

/// The page: `page/page.html` with its style and script.
pub fn page(nonce: &str, recording: &str) -> String {
    include_str!("../page/page.html")
        .replace("{style}", include_str!("../page/page.css"))
        .replace("{script}", concat!(include_str!("../page/render.js"), "\n", include_str!("../page/page.js")))
        .replace("{nonce}", nonce)
        .replace("{recording}", recording)
}

/// Why a page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {0}: {1}")]
    Address(SocketAddr, io::Error),
    /// The system gives no random numbers.
    #[error("no random numbers for the secret in the address: {0}")]
    Random(getrandom::Error),
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

/// What a viewer's thread needs of the session.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) broadcast: Arc<Broadcast>,
    pub(crate) commands: SyncSender<(ViewerId, FromViewer)>,
}

/// A bound address with a secret.
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    token: Token,
}

impl Listener {
    /// Listens on an address; port 0 takes a free one.
    pub fn bind(address: SocketAddr) -> Result<Self, ServeError> {
        let fail = |e| ServeError::Address(address, e);
        let socket = TcpListener::bind(address).map_err(fail)?;
        socket.set_nonblocking(true).map_err(fail)?;
        let bound = socket.local_addr().map_err(fail)?;
        Ok(Self { socket, address: bound, token: Token::new().map_err(ServeError::Random)? })
    }

    /// Address of the page, with its secret.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token.text())
    }

    /// Whether other machines can connect.
    pub fn is_public(&self) -> bool {
        !self.address.ip().is_loopback()
    }

    /// Accepts connections on a thread of its own until `stop` is set.
    pub(crate) fn start(self, link: Link, stop: Arc<AtomicBool>) -> Result<JoinHandle<()>, ServeError> {
        let builder = std::thread::Builder::new().name("listener".to_owned());
        builder.spawn(move || self.accept(&link, &stop)).map_err(ServeError::Thread)
    }

    fn accept(&self, link: &Link, stop: &Arc<AtomicBool>) {
        let open = Arc::new(AtomicUsize::new(0));
        let mut next: ViewerId = 0;
        while !stop.load(Ordering::Relaxed) {
            let Ok((mut stream, _)) = self.socket.accept() else {
                // No client, or one that has disconnected at once.
                std::thread::sleep(PAUSE);
                continue;
            };
            next += 1;
            if open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                open.fetch_sub(1, Ordering::Relaxed);
                let _ = stream.set_nonblocking(true);
                let _ = http::send_refusal(&mut stream, 503, "Service Unavailable");
                continue;
            }
            let (link, stop, done) = (link.clone(), stop.clone(), open.clone());
            let (token, loopback, id) = (self.token.clone(), !self.is_public(), next);
            let started = std::thread::Builder::new().name(format!("viewer {id}")).spawn(move || {
                // A failed connection does not affect the others.
                let _ = serve(stream, &token, loopback, (id, &link), &stop);
                done.fetch_sub(1, Ordering::Relaxed);
            });
            if started.is_err() {
                open.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }
}

fn serve(
    mut stream: TcpStream,
    token: &Token,
    loopback: bool,
    (id, link): (ViewerId, &Link),
    stop: &AtomicBool,
) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(http::HEAD_TIME))?;
    let head = http::read_head(&mut stream)?;
    match http::request(&head, token, loopback) {
        Request::Refused(status, reason) => http::send_refusal(&mut stream, status, reason),
        Request::Page => {
            let mut nonce = [0_u8; 16];
            getrandom::fill(&mut nonce).map_err(io::Error::other)?;
            let nonce = hex(&nonce);
            http::send_page(&mut stream, &page(&nonce, ""), &nonce)
        }
        Request::Socket(key) => {
            http::send_upgrade(&mut stream, &key)?;
            link.broadcast.enter(id);
            let result = viewer::run(stream, id, link, stop);
            link.broadcast.leave(id);
            // The session is gone if this fails.
            let _ = link.commands.send((id, FromViewer::Left));
            result
        }
    }
}
