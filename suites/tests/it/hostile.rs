//! Bad servers: each ends in a verdict within its limit, with what was seen in words; nothing unbounded is kept, and no
//! secret is told to anybody else.

mod answers;
mod bounds;
mod elsewhere;
mod http2;
mod lines;
mod room;
mod tls;
