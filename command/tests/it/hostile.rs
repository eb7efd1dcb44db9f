//! Hostile servers: each leads to a verdict within its time limit and with a reason; nothing unbounded is kept, and no
//! secret is sent elsewhere.

mod answers;
mod bounds;
mod elsewhere;
mod http2;
mod lines;
mod room;
mod tls;
