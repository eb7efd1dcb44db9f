//! Every statement of document 1 about the token metadata service, one row each.

crate::requirements! {
    service Metadata;

    /// The root path, and the interface version.
    mod root {
        /// The root path returns an HTML document.
        HTML: Must Server Check at ROOT ["Token metadata service" 0x1d79_8295, "Token metadata service (GET only; paths under {base_url})" 0x69f9_b8cb];
        /// The service declares the interface version 0.1.0.
        VERSION: Must Server Check ["Versioning" 0x4607_1107];
    }

    /// The metadata document of a contract.
    mod contract {
        /// The server returns a contract's document by the content identifier of its metadata.
        BY_CID: Must Server Check at CONTRACT_BY_CID ["Token metadata service" 0xfb1b_c74c, "Token metadata service" 0x611d_fb91, "Token metadata service (GET only; paths under {base_url})" 0xcc3a_94ae];
        /// The server returns a contract's document by the contract's URI.
        BY_URI: Must Server Check at CONTRACT_BY_URI ["Token metadata service" 0xfb1b_c74c, "Token metadata service" 0x611d_fb91, "Token metadata service (GET only; paths under {base_url})" 0x8016_3120];
        /// The server returns no document for an unknown contract.
        UNKNOWN: Must Server Check at EVERY rejects UNKNOWN ["Token metadata service" 0xfb1b_c74c];
        /// A contract that is declared to have both addresses has the same document at both.
        SAME: Must Server Check at DOCUMENTS_BY_URI ["Token metadata service" 0x611d_fb91];
    }

    /// The metadata document of a token.
    mod token {
        /// The server returns a token's document by the content identifier of its contract and the token id with
        /// `.json`.
        BY_CID_JSON: Must Server Check at TOKEN_BY_CID_JSON ["Token metadata service" 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 0xa287_9f38];
        /// The server returns a token's document by the content identifier of its contract and the token id.
        BY_CID: Must Server Check at TOKEN_BY_CID ["Token metadata service" 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 0x001a_9d59];
        /// The server returns a token's document by the URI of its contract and the token id with `.json`.
        BY_URI_JSON: Must Server Check at TOKEN_BY_URI_JSON ["Token metadata service" 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 0x9106_f6e2];
        /// The server returns a token's document by the URI of its contract and the token id.
        BY_URI: Must Server Check at TOKEN_BY_URI ["Token metadata service" 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 0x47c5_8122];
        /// A token's document is the same with and without `.json`.
        SAME: Must Server Check at TOKEN_JSON ["Token metadata service" 0xfb1b_c74c];
        /// The server returns no document for an unknown token of a contract without a template.
        UNKNOWN: Must Server Check at TOKEN rejects UNKNOWN_TOKEN ["Token metadata service" 0xfb1b_c74c];
        /// The meaning of a template's `tag` is not stated; the simulator replaces it with the token's id.
        TEMPLATE: May Server Open("the table gives the type and the default of `tag`, not its use") ["Token metadata records" 0xf442_a7a1];
    }

    /// The overrides of a token.
    mod overrides {
        /// A token's overrides are a JSON array of objects, by the content identifier of its contract.
        BY_CID: Must Server Check at OVERRIDES_BY_CID ["Token metadata service" 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 0x324c_4fb3];
        /// A token's overrides are a JSON array of objects, by the URI of its contract.
        BY_URI: Must Server Check at OVERRIDES_BY_URI ["Token metadata service" 0xfb1b_c74c, "Token metadata service (GET only; paths under {base_url})" 0xc00f_50cd];
        /// The content and effect of an override are not stated; the simulator merges its members over those of the
        /// template.
        EFFECT: May Server Open("the document says that the list exists, not what its objects hold or change") ["Token metadata service" 0xfb1b_c74c];
    }

    /// Paths. They are split before anything in them is decoded.
    mod paths {
        /// The double slash after a contract's URI is part of the path.
        DOUBLE_SLASH: Must Server Check ["Token metadata service (GET only; paths under {base_url})" 0x8956_2350];
        /// The server rejects a path with an empty parameter.
        REQUIRED: Must Server Check at CAN_BE_EMPTY rule "route.required" rejects EMPTY ["Token metadata service (GET only; paths under {base_url})" 0x2377_be53];
        /// Which double slash ends a URI that has some itself is not stated; here the last one does.
        LAST: May Server Open("a URI contains a double slash itself, and no sentence says which one ends it") ["Token metadata service (GET only; paths under {base_url})" 0x8956_2350];
        /// How a parameter is encoded in a path is not stated; here it is percent-decoded once, after the path is
        /// split.
        DECODED: May Server Open("the document gives the path templates without an encoding of their parameters") ["Token metadata service (GET only; paths under {base_url})" 0x8016_3120];
        /// The response to a parameter that is not UTF-8 is not stated; here it is treated as not found.
        TEXT: May Server Open("the parameters are strings, and only an invalid parameter such as a non-integer has a status") rule "route.text" ["Token metadata service (GET only; paths under {base_url})" 0xcc3a_94ae];
        /// The response to a path of none of the listed forms is not stated; here it is treated as not found.
        SHAPE: May Server Open("the document says `not shown` for error bodies of statuses other than 422, and names no status for other paths") rule "route.shape" ["Token metadata service (GET only; paths under {base_url})" 0x69f9_b8cb];
    }

    /// Rejected parameters, and the body that says so.
    mod validation {
        /// The server returns 422 for a token id that is not an integer, on every path that has one.
        INTEGER: Must Server Check at WITH_ID values IDS rule "route.integer" rejects INVALID ["Errors" 0x4dd8_3932, "Token metadata service (GET only; paths under {base_url})" 0xa287_9f38, "Token metadata service (GET only; paths under {base_url})" 0x001a_9d59, "Token metadata service (GET only; paths under {base_url})" 0x9106_f6e2, "Token metadata service (GET only; paths under {base_url})" 0x47c5_8122, "Token metadata service (GET only; paths under {base_url})" 0x324c_4fb3, "Token metadata service (GET only; paths under {base_url})" 0xc00f_50cd];
        /// A token id that is not UTF-8, has a zero byte or thousands of digits does not cause an internal error.
        ODD_ID: Must Server Check at WITH_ID ["Errors" 0x4dd8_3932];
        /// The body of a 422 is an object whose `detail` is an array of objects.
        DETAIL: Must Server Check at WITH_ID rule "validation.detail" ["Token metadata records" 0x1736_98ba, "Errors" 0x4dd8_3932];
        /// Each error has a `loc`, an array of strings and integers.
        LOC: Must Server Check at WITH_ID rule "validation.loc" ["Token metadata records" 0x88e4_cb68];
        /// Each error has a `msg`, a string.
        MSG: Must Server Check at WITH_ID rule "validation.msg" ["Token metadata records" 0x88e4_cb68];
        /// Each error has a `type`, a string.
        TYPE: Must Server Check at WITH_ID rule "validation.type" ["Token metadata records" 0x88e4_cb68];
    }

    /// The members of the documents.
    mod records {
        /// An attribute has a `trait_type`, a string.
        TRAIT_TYPE: Must Record Check at DOCUMENTS rule "attribute.trait-type" ["Token metadata records" 0x9500_44bf, "Token metadata records" 0x6b73_1196];
        /// An attribute has a `value`: a boolean, an integer or a string.
        VALUE: Must Record Check at DOCUMENTS rule "attribute.value" ["Token metadata records" 0x9500_44bf, "Token metadata records" 0x9f93_9949];

        /// A contract's document has a `name`, a string.
        CONTRACT_NAME: Must Record Check at CONTRACT rule "contract.name" ["Token metadata records" 0x07f8_430e, "Token metadata records" 0xafcb_d50e];
        /// A contract's `symbol` is a string, if present.
        CONTRACT_SYMBOL: Must Record Check at CONTRACT rule "contract.symbol" ["Token metadata records" 0x07f8_430e, "Token metadata records" 0x22ef_9598];
        /// A contract's `description` is a string, if present.
        CONTRACT_DESCRIPTION: Must Record Check at CONTRACT rule "contract.description" ["Token metadata records" 0x07f8_430e, "Token metadata records" 0xd89b_d345];
        /// A contract's `image` is a string, if present.
        CONTRACT_IMAGE: Must Record Check at CONTRACT rule "contract.image" ["Token metadata records" 0x07f8_430e, "Token metadata records" 0x28dd_6c3f];
        /// A contract's `banner_image` is a string, if present.
        CONTRACT_BANNER_IMAGE: Must Record Check at CONTRACT rule "contract.banner-image" ["Token metadata records" 0x07f8_430e, "Token metadata records" 0xf98a_549e];
        /// A contract's `featured_image` is a string, if present.
        CONTRACT_FEATURED_IMAGE: Must Record Check at CONTRACT rule "contract.featured-image" ["Token metadata records" 0x07f8_430e, "Token metadata records" 0x229e_8b8a];
        /// A contract's `external_link` is a string, if present.
        CONTRACT_EXTERNAL_LINK: Must Record Check at CONTRACT rule "contract.external-link" ["Token metadata records" 0x07f8_430e, "Token metadata records" 0xb239_452a];
        /// A contract's `collaborators` is an array of strings, if present.
        CONTRACT_COLLABORATORS: Must Record Check at CONTRACT rule "contract.collaborators" ["Token metadata records" 0x07f8_430e, "Token metadata records" 0xc0e5_1597];
        /// A contract's `ref` is a string, if present.
        CONTRACT_REF: Must Record Check at CONTRACT rule "contract.ref" ["Token metadata records" 0x07f8_430e, "Token metadata records" 0xe72e_a978];
        /// A contract's `owner` is a string, if present.
        CONTRACT_OWNER: Must Record Check at CONTRACT rule "contract.owner" ["Token metadata records" 0x07f8_430e, "Token metadata records" 0x4ada_d0ff];
        /// A contract's `default_token_template` is an object, if present.
        CONTRACT_TEMPLATE: Must Record Check at CONTRACT rule "contract.template" ["Token metadata records" 0x07f8_430e, "Token metadata records" 0x1b9d_a083];

        /// A template has a `name`, a string.
        TEMPLATE_NAME: Must Record Check at CONTRACT rule "template.name" ["Token metadata records" 0xf442_a7a1];
        /// A template's `image` is a string, if present.
        TEMPLATE_IMAGE: Must Record Check at CONTRACT rule "template.image" ["Token metadata records" 0xf442_a7a1];
        /// A template's `animation_url` is a string, if present.
        TEMPLATE_ANIMATION_URL: Must Record Check at CONTRACT rule "template.animation-url" ["Token metadata records" 0xf442_a7a1];
        /// A template's `description` is a string, if present.
        TEMPLATE_DESCRIPTION: Must Record Check at CONTRACT rule "template.description" ["Token metadata records" 0xf442_a7a1];
        /// A template's `external_url` is a string, if present.
        TEMPLATE_EXTERNAL_URL: Must Record Check at CONTRACT rule "template.external-url" ["Token metadata records" 0xf442_a7a1];
        /// A template's `attributes` is an array of attributes, if present.
        TEMPLATE_ATTRIBUTES: Must Record Check at CONTRACT rule "template.attributes" ["Token metadata records" 0xf442_a7a1];
        /// A template's `external_properties` is an array of external properties, if present.
        TEMPLATE_EXTERNAL_PROPERTIES: Must Record Check at CONTRACT rule "template.external-properties" ["Token metadata records" 0xf442_a7a1];
        /// A template's `tag` is a string, if present.
        TEMPLATE_TAG: Must Record Check at CONTRACT rule "template.tag" ["Token metadata records" 0xf442_a7a1];

        /// A token's document has a `name`, a string.
        TOKEN_NAME: Must Record Check at TOKEN rule "token.name" ["Token metadata records" 0x8159_dff6];
        /// A token's `image` is a string, if present.
        TOKEN_IMAGE: Must Record Check at TOKEN rule "token.image" ["Token metadata records" 0x8159_dff6];
        /// A token's `animation_url` is a string, if present.
        TOKEN_ANIMATION_URL: Must Record Check at TOKEN rule "token.animation-url" ["Token metadata records" 0x8159_dff6];
        /// A token's `description` is a string, if present.
        TOKEN_DESCRIPTION: Must Record Check at TOKEN rule "token.description" ["Token metadata records" 0x8159_dff6];
        /// A token's `external_url` is a string, if present.
        TOKEN_EXTERNAL_URL: Must Record Check at TOKEN rule "token.external-url" ["Token metadata records" 0x8159_dff6];
        /// A token's `attributes` is an array of attributes, if present.
        TOKEN_ATTRIBUTES: Must Record Check at TOKEN rule "token.attributes" ["Token metadata records" 0x8159_dff6];
        /// A token's `external_properties` is an array of external properties, if present.
        TOKEN_EXTERNAL_PROPERTIES: Must Record Check at TOKEN rule "token.external-properties" ["Token metadata records" 0x8159_dff6];

        /// An external property has a `source`, a string.
        SOURCE: Must Record Check at DOCUMENTS rule "external.source" ["Token metadata records" 0xe46b_4d97];
        /// An external property's `mandatory` is a boolean, if present.
        MANDATORY: Must Record Check at DOCUMENTS rule "external.mandatory" ["Token metadata records" 0xe46b_4d97];
        /// An external property's `allowed` is an array of strings, if present.
        ALLOWED: Must Record Check at DOCUMENTS rule "external.allowed" ["Token metadata records" 0xe46b_4d97];
        /// An external property's `fallback` is an object, if present.
        FALLBACK: Must Record Check at DOCUMENTS rule "external.fallback" ["Token metadata records" 0xe46b_4d97];
    }
}
