//! The golden vectors and their tools: one program, one module per subject.

mod data;
mod exchange;
mod exchange_gateway;
mod hard_cases;
mod hostile;
mod lineages;
mod lint;
