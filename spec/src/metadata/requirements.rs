//! Every statement of document 1 about the token metadata service, one row each.

crate::requirements! {
    service Metadata;

    /// The root path, and what the service says of itself.
    mod root {
        /// The root path is answered by an HTML document.
        HTML: Must Server Check ["Token metadata service" 3 0x1d79_8295, "Token metadata service (GET only; paths under {base_url})" 1 0x69f9_b8cb];
        /// The service declares the interface version 0.1.0.
        VERSION: Must Server Check ["Versioning" 3 0x4607_1107];
    }

    /// The document of a contract.
    mod contract {
        /// A contract's document is found under the content identifier of its metadata.
        BY_CID: Must Server Check ["Token metadata service" 1 0xfb1b_c74c, "Token metadata service" 2 0x611d_fb91, "Token metadata service (GET only; paths under {base_url})" 2 0xcc3a_94ae];
        /// A contract's document is found under its URI.
        BY_URI: Must Server Check ["Token metadata service" 1 0xfb1b_c74c, "Token metadata service" 2 0x611d_fb91, "Token metadata service (GET only; paths under {base_url})" 3 0x8016_3120];
        /// A contract that nobody knows has no document.
        UNKNOWN: Must Server Check ["Token metadata service" 1 0xfb1b_c74c];
        /// A contract that is declared to be reached in both ways is the same one in both.
        SAME: Must Server Check ["Token metadata service" 2 0x611d_fb91];
    }

    /// The document of a token.
    mod token {
        /// A token's document is found under the content identifier of its contract, with `.json` behind its id.
        BY_CID_JSON: Must Server Check ["Token metadata service" 1 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 4 0xa287_9f38];
        /// A token's document is found under the content identifier of its contract.
        BY_CID: Must Server Check ["Token metadata service" 1 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 5 0x001a_9d59];
        /// A token's document is found under the URI of its contract, with `.json` behind its id.
        BY_URI_JSON: Must Server Check ["Token metadata service" 1 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 6 0x9106_f6e2];
        /// A token's document is found under the URI of its contract.
        BY_URI: Must Server Check ["Token metadata service" 1 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 7 0x47c5_8122];
        /// A token that nobody knows has no document.
        UNKNOWN: Must Server Check ["Token metadata service" 1 0xfb1b_c74c];
        /// What a template's `tag` is for is not stated; the simulator writes a token's id where it stands.
        TEMPLATE: May Server Open ["Token metadata records" 16 0xf442_a7a1];
    }

    /// The overrides of a token.
    mod overrides {
        /// A token's overrides are a JSON array of objects, under the content identifier of its contract.
        BY_CID: Must Server Check ["Token metadata service" 1 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 8 0x324c_4fb3];
        /// A token's overrides are a JSON array of objects, under the URI of its contract.
        BY_URI: Must Server Check ["Token metadata service" 1 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 9 0xc00f_50cd];
        /// What an override holds and does is not stated; the simulator puts its members over those of the template.
        EFFECT: May Server Open ["Token metadata service" 1 0xfb1b_c74c];
    }

    /// Paths, which are read before anything in them is decoded.
    mod paths {
        /// The two slashes behind a contract's URI are part of the path.
        DOUBLE_SLASH: Must Server Check ["Token metadata service (GET only; paths under {base_url})" 11 0x8956_2350];
        /// No parameter of a path is empty.
        REQUIRED: Must Server Check rule "route.required" ["Token metadata service (GET only; paths under {base_url})" 10 0x2377_be53];
        /// Which two slashes end a URI that holds some itself is not stated; here the last ones do.
        LAST: May Server Open ["Token metadata service (GET only; paths under {base_url})" 11 0x8956_2350];
        /// How a parameter stands in a path is not stated; here it is percent-decoded once, after the path was split.
        DECODED: May Server Open ["Token metadata service (GET only; paths under {base_url})" 3 0x8016_3120];
        /// What a parameter that is no text gives is not stated; here nothing is found under it.
        TEXT: May Server Open rule "route.text" ["Token metadata service (GET only; paths under {base_url})" 2 0xcc3a_94ae];
        /// What a path of none of the listed forms gives is not stated; here nothing is found there.
        SHAPE: May Server Open rule "route.shape" ["Token metadata service (GET only; paths under {base_url})" 1 0x69f9_b8cb];
    }

    /// Parameters that are refused, and the body that says so.
    mod validation {
        /// A token's id that is no integer is refused by 422 on every path that has one.
        INTEGER: Must Server Check rule "route.integer" ["Errors" 7 0x4dd8_3932, "Token metadata service (GET only; paths under {base_url})" 4 0xa287_9f38, "Token metadata service (GET only; paths under {base_url})" 5 0x001a_9d59, "Token metadata service (GET only; paths under {base_url})" 6 0x9106_f6e2, "Token metadata service (GET only; paths under {base_url})" 7 0x47c5_8122, "Token metadata service (GET only; paths under {base_url})" 8 0x324c_4fb3, "Token metadata service (GET only; paths under {base_url})" 9 0xc00f_50cd];
        /// The body of a 422 is an object whose `detail` is an array of objects.
        DETAIL: Must Server Check rule "validation.detail" ["Token metadata records" 19 0x1736_98ba, "Errors" 7 0x4dd8_3932];
        /// Each has a `loc`, an array of texts and integers.
        LOC: Must Server Check rule "validation.loc" ["Token metadata records" 20 0x88e4_cb68];
        /// Each has a `msg`, a text.
        MSG: Must Server Check rule "validation.msg" ["Token metadata records" 20 0x88e4_cb68];
        /// Each has a `type`, a text.
        TYPE: Must Server Check rule "validation.type" ["Token metadata records" 20 0x88e4_cb68];
    }

    /// The members of the documents.
    mod records {
        /// An attribute has a `trait_type`, a text.
        TRAIT_TYPE: Must Record Check rule "attribute.trait-type" ["Token metadata records" 1 0x9500_44bf, "Token metadata records" 2 0x6b73_1196];
        /// An attribute has a `value`: a boolean, an integer or a text.
        VALUE: Must Record Check rule "attribute.value" ["Token metadata records" 1 0x9500_44bf, "Token metadata records" 3 0x9f93_9949];

        /// A contract's document has a `name`, a text.
        CONTRACT_NAME: Must Record Check rule "contract.name" ["Token metadata records" 4 0x07f8_430e, "Token metadata records" 5 0xafcb_d50e];
        /// A contract's `symbol` is a text, where there is one.
        CONTRACT_SYMBOL: Must Record Check rule "contract.symbol" ["Token metadata records" 4 0x07f8_430e, "Token metadata records" 6 0x22ef_9598];
        /// A contract's `description` is a text, where there is one.
        CONTRACT_DESCRIPTION: Must Record Check rule "contract.description" ["Token metadata records" 4 0x07f8_430e, "Token metadata records" 7 0xd89b_d345];
        /// A contract's `image` is a text, where there is one.
        CONTRACT_IMAGE: Must Record Check rule "contract.image" ["Token metadata records" 4 0x07f8_430e, "Token metadata records" 8 0x28dd_6c3f];
        /// A contract's `banner_image` is a text, where there is one.
        CONTRACT_BANNER_IMAGE: Must Record Check rule "contract.banner-image" ["Token metadata records" 4 0x07f8_430e, "Token metadata records" 9 0xf98a_549e];
        /// A contract's `featured_image` is a text, where there is one.
        CONTRACT_FEATURED_IMAGE: Must Record Check rule "contract.featured-image" ["Token metadata records" 4 0x07f8_430e, "Token metadata records" 10 0x229e_8b8a];
        /// A contract's `external_link` is a text, where there is one.
        CONTRACT_EXTERNAL_LINK: Must Record Check rule "contract.external-link" ["Token metadata records" 4 0x07f8_430e, "Token metadata records" 11 0xb239_452a];
        /// A contract's `collaborators` are an array of texts, where there are any.
        CONTRACT_COLLABORATORS: Must Record Check rule "contract.collaborators" ["Token metadata records" 4 0x07f8_430e, "Token metadata records" 12 0xc0e5_1597];
        /// A contract's `ref` is a text, where there is one.
        CONTRACT_REF: Must Record Check rule "contract.ref" ["Token metadata records" 4 0x07f8_430e, "Token metadata records" 13 0xe72e_a978];
        /// A contract's `owner` is a text, where there is one.
        CONTRACT_OWNER: Must Record Check rule "contract.owner" ["Token metadata records" 4 0x07f8_430e, "Token metadata records" 14 0x4ada_d0ff];
        /// A contract's `default_token_template` is an object, where there is one.
        CONTRACT_TEMPLATE: Must Record Check rule "contract.template" ["Token metadata records" 4 0x07f8_430e, "Token metadata records" 15 0x1b9d_a083];

        /// A template has a `name`, a text.
        TEMPLATE_NAME: Must Record Check rule "template.name" ["Token metadata records" 16 0xf442_a7a1];
        /// A template's `image` is a text, where there is one.
        TEMPLATE_IMAGE: Must Record Check rule "template.image" ["Token metadata records" 16 0xf442_a7a1];
        /// A template's `animation_url` is a text, where there is one.
        TEMPLATE_ANIMATION_URL: Must Record Check rule "template.animation-url" ["Token metadata records" 16 0xf442_a7a1];
        /// A template's `description` is a text, where there is one.
        TEMPLATE_DESCRIPTION: Must Record Check rule "template.description" ["Token metadata records" 16 0xf442_a7a1];
        /// A template's `external_url` is a text, where there is one.
        TEMPLATE_EXTERNAL_URL: Must Record Check rule "template.external-url" ["Token metadata records" 16 0xf442_a7a1];
        /// A template's `attributes` are an array of attributes, where there are any.
        TEMPLATE_ATTRIBUTES: Must Record Check rule "template.attributes" ["Token metadata records" 16 0xf442_a7a1];
        /// A template's `external_properties` are an array of external properties, where there are any.
        TEMPLATE_EXTERNAL_PROPERTIES: Must Record Check rule "template.external-properties" ["Token metadata records" 16 0xf442_a7a1];
        /// A template's `tag` is a text, where it is not the default.
        TEMPLATE_TAG: Must Record Check rule "template.tag" ["Token metadata records" 16 0xf442_a7a1];

        /// A token's document has a `name`, a text.
        TOKEN_NAME: Must Record Check rule "token.name" ["Token metadata records" 17 0x8159_dff6];
        /// A token's `image` is a text, where there is one.
        TOKEN_IMAGE: Must Record Check rule "token.image" ["Token metadata records" 17 0x8159_dff6];
        /// A token's `animation_url` is a text, where there is one.
        TOKEN_ANIMATION_URL: Must Record Check rule "token.animation-url" ["Token metadata records" 17 0x8159_dff6];
        /// A token's `description` is a text, where there is one.
        TOKEN_DESCRIPTION: Must Record Check rule "token.description" ["Token metadata records" 17 0x8159_dff6];
        /// A token's `external_url` is a text, where there is one.
        TOKEN_EXTERNAL_URL: Must Record Check rule "token.external-url" ["Token metadata records" 17 0x8159_dff6];
        /// A token's `attributes` are an array of attributes, where there are any.
        TOKEN_ATTRIBUTES: Must Record Check rule "token.attributes" ["Token metadata records" 17 0x8159_dff6];
        /// A token's `external_properties` are an array of external properties, where there are any.
        TOKEN_EXTERNAL_PROPERTIES: Must Record Check rule "token.external-properties" ["Token metadata records" 17 0x8159_dff6];

        /// An external property has a `source`, a text.
        SOURCE: Must Record Check rule "external.source" ["Token metadata records" 18 0xe46b_4d97];
        /// An external property's `mandatory` is a boolean, where it is there.
        MANDATORY: Must Record Check rule "external.mandatory" ["Token metadata records" 18 0xe46b_4d97];
        /// An external property's `allowed` is an array of texts, where it is there.
        ALLOWED: Must Record Check rule "external.allowed" ["Token metadata records" 18 0xe46b_4d97];
        /// An external property's `fallback` is an object, where it is there.
        FALLBACK: Must Record Check rule "external.fallback" ["Token metadata records" 18 0xe46b_4d97];
    }
}
