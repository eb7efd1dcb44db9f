//! The services, in the order used on every layer.

/// Calls `$callback!` with one `(module Variant document)` entry per service. This is the only list of services. Each
/// layer that dispatches over services expands it, so a service missing on a layer does not compile.
#[macro_export]
macro_rules! for_each_service {
    ($callback:ident) => {
        $callback! {
            (gateway Gateway 1)
            (metadata Metadata 1)
            (network Network 2)
            (hosting Hosting 2)
            (publish Publish 3)
            (drop Drop 3)
        }
    };
}

macro_rules! declare {
    ($(($module:ident $variant:ident $document:literal))*) => {
        /// A service of the documents.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Service {
            $(#[doc = concat!("`", stringify!($module), "`, document ", stringify!($document), ".")] $variant,)*
        }

        impl Service {
            /// Every service, in the order of the list.
            pub const ALL: &[Service] = &[$(Service::$variant),*];

            /// The service's name: its folder on every layer and the first word of its requirement ids.
            pub const fn name(self) -> &'static str {
                match self { $(Service::$variant => stringify!($module),)* }
            }

            /// The number of the document that describes the service.
            pub const fn document(self) -> u8 {
                match self { $(Service::$variant => $document,)* }
            }
        }

        pub(crate) fn entries() -> Vec<ServiceEntry> {
            vec![$(ServiceEntry {
                requirements: $crate::$module::requirements::GROUPS,
                exemptions: $crate::$module::exemptions::EXEMPTIONS,
                endpoints: $crate::$module::ENDPOINTS,
                machines: $crate::$module::MACHINES,
                limits: $crate::$module::LIMITS,
            }),*]
        }
    };
}

/// What one service contributes to the catalogue.
pub(crate) struct ServiceEntry {
    pub(crate) requirements: &'static [&'static [crate::Id]],
    pub(crate) exemptions: &'static [crate::requirement::Exemption],
    pub(crate) endpoints: &'static [&'static crate::endpoint::Endpoint],
    pub(crate) machines: &'static [&'static crate::machine::Machine],
    pub(crate) limits: &'static [&'static crate::limit::Limit],
}

for_each_service!(declare);

impl Service {
    /// The service of that name.
    pub fn named(name: &str) -> Option<Service> {
        Self::ALL.iter().copied().find(|service| service.name() == name)
    }
}

impl std::fmt::Display for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
