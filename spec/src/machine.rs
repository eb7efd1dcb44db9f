//! State machines as tables. A server makes only the transitions listed here.

use std::fmt;

/// One machine: its name and its transitions.
#[derive(Debug)]
pub struct Machine {
    /// The subject, as the documents call it.
    pub name: &'static str,
    /// Every transition, in the document's order.
    pub transitions: &'static [Transition],
}

/// One transition of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transition {
    /// The machine's name.
    pub machine: &'static str,
    /// The state before.
    pub from: &'static str,
    /// What happens.
    pub event: &'static str,
    /// The state after.
    pub to: &'static str,
    /// Why a run cannot show it from outside; empty if it can.
    pub unreachable: &'static str,
}

/// `prepare: prepared --submit--> in-flight`
impl fmt::Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} --{}--> {}", self.machine, self.from, self.event, self.to)
    }
}

/// Declares a machine: a state enum, an event enum and the table of transitions.
///
/// A transition is written `From on Event => To;`, followed by `unless "why"` if no run can show it.
#[macro_export]
macro_rules! machine {
    (
        $(#[doc = $about:literal])+
        $machine:ident $name:literal: $state:ident { $($s:ident = $st:literal),* $(,)? }
        $event:ident { $($e:ident = $et:literal),* $(,)? }
        $($from:ident on $on:ident => $to:ident $(unless $why:literal)?;)*
    ) => {
        #[doc = concat!("A state of `", $name, "`.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
        pub enum $state { $(#[doc = $st] #[serde(rename = $st)] $s),* }

        #[doc = concat!("What happens to `", $name, "`.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $event { $(#[doc = $et] $e),* }

        $(#[doc = $about])+
        pub static $machine: $crate::machine::Machine = $crate::machine::Machine {
            name: $name,
            transitions: &[$($crate::machine::Transition {
                machine: $name,
                from: $state::$from.name(),
                event: $event::$on.name(),
                to: $state::$to.name(),
                unreachable: concat!("" $(, $why)?),
            }),*],
        };

        impl $state {
            /// The state's name.
            pub const fn name(self) -> &'static str {
                match self { $($state::$s => $st),* }
            }

            /// The new state after `event`, and the transition; `None` if the table has none.
            pub fn on(self, event: $event) -> Option<($state, &'static $crate::machine::Transition)> {
                let moves: &[($state, $event, $state)] = &[$(($state::$from, $event::$on, $state::$to)),*];
                let row = moves.iter().position(|(from, on, _)| *from == self && *on == event)?;
                Some((moves[row].2, &$machine.transitions[row]))
            }
        }

        impl $event {
            /// The event's name.
            pub const fn name(self) -> &'static str {
                match self { $($event::$e => $et),* }
            }
        }
    };
}
