//! The services of a world: what each one offers, and the list of all of them.

use assay_spec::{Place, Service, catalogue, for_each_service};
use serde_json::Value;

use crate::core::Core;
use crate::deviation::Deviation;
use crate::exchange::{ExchangeId, Reply, Request, RequestHead, Site};
use crate::fault;
use crate::limits::Limit;
use crate::outgoing::{Outcome, OutgoingId};
use crate::shape::Action;
use crate::variation::{self, Variation};

/// What a world handles now.
#[derive(Debug)]
pub enum Occasion<'a, T> {
    /// A request begins.
    Begin(&'a RequestHead),
    /// A whole request.
    Request(&'a Request),
    /// A timer is due.
    Timer(&'a T),
    /// An action of the control API.
    Action(&'a str),
}

impl<'a, T> Occasion<'a, T> {
    /// The head of the request.
    pub fn head(&self) -> Option<&'a RequestHead> {
        match self {
            Occasion::Begin(head) => Some(head),
            Occasion::Request(request) => Some(&request.head),
            Occasion::Timer(_) | Occasion::Action(_) => None,
        }
    }
}

/// The behaviour of a service in a world.
pub trait SimService: Clone {
    /// The data of its timers.
    type Timer: Clone;
    /// The context of its outgoing requests.
    type OutgoingContext: Clone;

    /// The sites at which it listens.
    const SITES: &'static [Site];
    /// The faults that it offers.
    const FAULTS: &'static [fault::FaultKind];
    /// The variations that it offers.
    const VARIATIONS: &'static [Variation];
    /// The deviations that it offers.
    const DEVIATIONS: &'static [Deviation];
    /// The actions that it offers to the control API.
    const ACTIONS: &'static [Action];
    /// The limits that the control API can change.
    const LIMITS: &'static [Limit];

    /// The service at the beginning of a world.
    fn new(core: &Core) -> Self;
    /// The maximum body size at a site, in bytes.
    fn body_limit(&self, site: Site) -> usize;
    /// The maximum body size after this head, in bytes.
    fn body_limit_after(&self, head: &RequestHead) -> usize {
        self.body_limit(head.site)
    }
    /// Where the service is on this occasion. By default, at the endpoint of the request.
    fn place(&self, core: &Core, occasion: &Occasion<'_, Self::Timer>) -> Place {
        let Some(head) = occasion.head() else { return Place::ANY };
        let path = head.target.split('?').next().unwrap_or_default();
        let Site { service, name, .. } = head.site;
        let found = catalogue::endpoint_at(&core.dialect, service, name, head.method.as_str(), path);
        found.map_or(Place::ANY, |endpoint| Place::at(endpoint.name))
    }
    /// A request begins. A reply settles it before its body arrives.
    fn begin(&mut self, _: &mut Core, _: ExchangeId, _: &RequestHead) -> Option<Reply> {
        None
    }
    /// A client disconnected before its answer was complete.
    fn abort(&mut self, _: &mut Core, _: ExchangeId, _: Site) {}
    /// Handles a whole request. `None` if the answer comes later, by [`Core::answer`], or piece by piece after
    /// [`Core::begin_answer`].
    fn handle(&mut self, core: &mut Core, exchange: ExchangeId, request: &Request) -> Option<Reply>;
    /// A rejected request takes effect all the same ([`Seam::Effect`](crate::seam::Seam::Effect)).
    fn act(&mut self, _: &mut Core, _: &Request) {}
    /// A timer is due.
    fn fire(&mut self, core: &mut Core, timer: Self::Timer);
    /// The outcome of a request of its own, sent by [`Core::send`].
    fn incoming(&mut self, _: &mut Core, _: Self::OutgoingContext, _: Outcome) {}
    /// Performs an action of the control API.
    fn perform(&mut self, core: &mut Core, action: &str, arguments: &Value) -> Result<Value, String>;
    /// The state, for display.
    fn view(&self, core: &Core) -> Value;
    /// The values that this world has added to those of a condition of the service's faults, such as ids of models.
    fn own_values(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
    /// The limits, by name.
    fn limits(&self) -> Value;
    /// Changes some limits.
    fn set_limits(&mut self, limits: &Value) -> Result<(), String>;
    /// The sites that boot, each with the number of its current boot, from 1. After each boot a site listens on
    /// another port with another certificate; its connections end.
    fn boots(&self) -> impl Iterator<Item = (Site, u64)> {
        std::iter::empty()
    }
}

/// Moves the world to the place of this occasion, if something depends on it.
fn enter<S: SimService>(core: &mut Core, service: &S, occasion: &Occasion<'_, S::Timer>) {
    if core.needs_places() {
        let place = service.place(core, occasion);
        core.enter(place);
    }
}

macro_rules! declare {
    ($(($module:ident $variant:ident $document:literal))*) => {
        #[derive(Clone, Debug)]
        pub(crate) struct Services { $($module: crate::$module::State),* }

        /// A timer of some service.
        #[derive(Clone, Debug)]
        pub enum Timer {
            $(#[doc = concat!("Of `", stringify!($module), "`.")] $variant(<crate::$module::State as SimService>::Timer),)*
            /// A request to an own site has timed out.
            Overdue(OutgoingId),
            /// The time of an action has come.
            Scheduled(u64),
        }

        /// The context of an outgoing request of some service.
        #[derive(Clone, Debug)]
        pub enum OutgoingContext {
            $(#[doc = concat!("Of `", stringify!($module), "`.")] $variant(<crate::$module::State as SimService>::OutgoingContext)),*
        }

        impl Services {
            pub(crate) fn new(core: &Core) -> Services {
                Services { $($module: crate::$module::State::new(core)),* }
            }

            pub(crate) fn body_limit(&self, head: &RequestHead) -> usize {
                match head.site.service { $(Service::$variant => self.$module.body_limit_after(head)),* }
            }

            pub(crate) fn begin(&mut self, core: &mut Core, exchange: ExchangeId, head: &RequestHead) -> Option<Reply> {
                match head.site.service {
                    $(Service::$variant => {
                        enter(core, &self.$module, &Occasion::Begin(head));
                        self.$module.begin(core, exchange, head)
                    }),*
                }
            }

            pub(crate) fn abort(&mut self, core: &mut Core, exchange: ExchangeId, site: Site) {
                match site.service { $(Service::$variant => self.$module.abort(core, exchange, site)),* }
            }

            pub(crate) fn handle(&mut self, core: &mut Core, exchange: ExchangeId, request: &Request) -> Option<Reply> {
                match request.head.site.service {
                    $(Service::$variant => {
                        enter(core, &self.$module, &Occasion::Request(request));
                        let reply = self.$module.handle(core, exchange, request);
                        if core.take_acting(exchange) {
                            self.$module.act(core, request);
                        }
                        reply
                    }),*
                }
            }

            pub(crate) fn fire(&mut self, core: &mut Core, timer: Timer) {
                match timer {
                    $(Timer::$variant(timer) => {
                        enter(core, &self.$module, &Occasion::Timer(&timer));
                        self.$module.fire(core, timer);
                    })*
                    Timer::Overdue(_) | Timer::Scheduled(_) => {}
                }
            }

            pub(crate) fn incoming(&mut self, core: &mut Core, context: OutgoingContext, outcome: Outcome) {
                core.enter(Place::ANY);
                match context { $(OutgoingContext::$variant(context) => self.$module.incoming(core, context, outcome)),* }
            }

            pub(crate) fn perform(&mut self, core: &mut Core, service: Service, action: &str, arguments: &Value)
                -> Result<Value, String>
            {
                match service {
                    $(Service::$variant => {
                        enter(core, &self.$module, &Occasion::Action(action));
                        self.$module.perform(core, action, arguments)
                    }),*
                }
            }

            pub(crate) fn view(&self, core: &Core, service: Service) -> Value {
                match service { $(Service::$variant => self.$module.view(core)),* }
            }

            pub(crate) fn own_values(&self, service: Service, key: &str) -> Vec<String> {
                match service { $(Service::$variant => self.$module.own_values(key)),* }
            }

            pub(crate) fn limits(&self, service: Service) -> Value {
                match service { $(Service::$variant => self.$module.limits()),* }
            }

            pub(crate) fn boots(&self) -> impl Iterator<Item = (Site, u64)> {
                std::iter::empty()$(.chain(self.$module.boots()))*
            }

            pub(crate) fn set_limits(&mut self, service: Service, limits: &Value) -> Result<(), String> {
                match service { $(Service::$variant => self.$module.set_limits(limits)),* }
            }
        }

        /// Every site, by service.
        pub fn sites() -> Vec<Site> {
            [$(<crate::$module::State as SimService>::SITES),*].concat()
        }

        /// Every fault that a world offers.
        pub fn faults() -> Vec<fault::FaultKind> {
            [&[fault::HOLD][..], $(<crate::$module::State as SimService>::FAULTS),*].concat()
        }

        /// Every variation that a world offers.
        pub fn variations() -> Vec<Variation> {
            [variation::WIRE, $(<crate::$module::State as SimService>::VARIATIONS),*].concat()
        }

        /// Every deviation.
        pub fn deviations() -> Vec<Deviation> {
            [$(<crate::$module::State as SimService>::DEVIATIONS),*].concat()
        }

        /// Every action of the control API, as `service.action`.
        pub fn actions() -> Vec<(String, Action)> {
            let mut actions = Vec::new();
            $(actions.extend(<crate::$module::State as SimService>::ACTIONS.iter().map(|action| {
                (format!("{}.{}", stringify!($module), action.name), *action)
            }));)*
            actions
        }

        /// The limits that the control API can change, by service.
        pub fn limits() -> Vec<(Service, &'static [Limit])> {
            vec![$((Service::$variant, <crate::$module::State as SimService>::LIMITS)),*]
        }
    };
}

for_each_service!(declare);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    #[test]
    fn every_site_has_a_name_and_a_port_of_its_own() {
        let sites = super::sites();
        let by_port: BTreeMap<u16, &str> = sites.iter().map(|site| (site.port, site.name)).collect();
        let names: std::collections::BTreeSet<&str> = by_port.values().copied().collect();
        assert_eq!((by_port.len(), names.len()), (sites.len(), sites.len()), "{by_port:?}");
        assert!(!by_port.contains_key(&0), "port 0 is that of the control API");
    }
}
