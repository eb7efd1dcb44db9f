//! Every statement of document 2 about the node API, one row each.

crate::requirements! {
    service Network;

    /// One message and its record: `POST /messages` and `GET /messages/{hash}`.
    mod messages {
        /// The type of a message is its sender's choice: a POST and an AGGREGATE are taken by the same endpoint.
        TYPE_FREE: Must Server Check ["Endpoints" 7 0x3d42_c78f];
        /// A message that was taken is found by its hash.
        FOUND: Must Server Check ["What the service does" 2 0x94cf_cb2b, "Endpoints" 4 0x5639_ec0a];
        /// The answer for one message is an object of `status`, `item_hash` and `message`, and the record stands inside `message`.
        WRAPPER: Must Server Check ["Endpoints" 4 0x5639_ec0a, "Endpoints" 33 0x0f3d_628a];
        /// `item_hash` beside the record is the hash that was asked for.
        WRAPPER_HASH: Must Server Check ["Endpoints" 4 0x5639_ec0a];
        /// `item_hash` of the record is the one that the creation was answered with.
        ITEM_HASH: Must Server Check ["Message record" 1 0x030c_7a42];
        /// `chain` is the text that was sent.
        CHAIN: Must Server Check ["Message record" 2 0x5aed_1437];
        /// `sender` is the address of the envelope.
        SENDER: Must Server Check ["Message record" 3 0x96f0_f339];
        /// `type` is the type that was sent.
        TYPE: Must Server Check ["Message record" 4 0xa964_0795];
        /// `channel` is the text that was sent.
        CHANNEL: Must Server Check ["Message record" 5 0x9250_511b];
        /// A message without a channel, where it is taken, stands on the default channel.
        CHANNEL_DEFAULT: Must Server Check ["Message record" 5 0x9250_511b];
        /// `timestamp` is the integer that was sent, in seconds.
        TIMESTAMP: Must Server Check ["Message record" 6 0x09bc_6a8f];
        /// `content` is the object that was sent.
        CONTENT: Must Server Check ["Message record" 7 0x375c_704d];
        /// `signature` is the text that was sent.
        SIGNATURE: Must Server Check ["Message record" 8 0xd120_8070];
        /// `confirmations` is an array of objects of `chain` (text), `height` (integer) and `hash` (text).
        CONFIRMATIONS: Must Server Check ["Message record" 9 0xd464_4fa1];
        /// The same message sent again has the same hash and stands in the lists once.
        SAME_TWICE: Must Server Check ["Message record" 1 0x030c_7a42];
        /// A hash that no message has is not found.
        UNKNOWN: Must Server Check ["Endpoints" 4 0x5639_ec0a, "Errors" 1 0x53a1_7b62];
    }

    /// The request envelope of every creating call. What is wrong in shape is refused by a documented status of the client's kind.
    mod envelope {
        /// The body is a JSON object.
        BODY: Must Server Check ["Request envelope for creating records" 1 0x8f07_ee3e, "Endpoints" 3 0x68e7_8c41];
        /// `message` is given, as an object.
        MESSAGE: Must Server Check ["Request envelope for creating records" 1 0x8f07_ee3e];
        /// `signature` is a text.
        SIGNATURE: Must Server Check ["Request envelope for creating records" 1 0x8f07_ee3e];
        /// `address` is given, as a text that is not empty.
        ADDRESS: Must Server Check ["Request envelope for creating records" 1 0x8f07_ee3e];
        /// `chain` is given, as a text that is not empty.
        CHAIN: Must Server Check ["Request envelope for creating records" 1 0x8f07_ee3e, "Message record" 2 0x5aed_1437];
        /// `channel` is a text.
        CHANNEL: Must Server Check ["Request envelope for creating records" 1 0x8f07_ee3e, "Message record" 5 0x9250_511b];
        /// `type` is given, as a text.
        TYPE: Must Server Check ["Request envelope for creating records" 1 0x8f07_ee3e, "Message record" 4 0xa964_0795];
        /// A type besides the ten is refused.
        TYPE_KNOWN: Must Server Check ["Message record" 4 0xa964_0795];
        /// An endpoint that names its type refuses the others.
        TYPE_OF_ENDPOINT: Must Server Check ["Endpoints" 14 0x8a57_f196, "Endpoints" 15 0xbc1b_a066, "Endpoints" 17 0xce4f_8ead, "Endpoints" 20 0xd6e3_080b, "Endpoints" 21 0x4932_52ba, "Endpoints" 22 0xadb2_7188, "Endpoints" 28 0xd00c_b1d5];
        /// `timestamp` is given, as an integer.
        TIMESTAMP: Must Server Check ["Request envelope for creating records" 1 0x8f07_ee3e, "Message record" 6 0x09bc_6a8f];
        /// `content` is given, as an object.
        CONTENT: Must Server Check ["Request envelope for creating records" 1 0x8f07_ee3e, "Message record" 7 0x375c_704d];
        /// The answer holds `item_hash`, a text that is not empty.
        REPLY_HASH: Must Server Check ["Request envelope for creating records" 2 0xca53_b92e, "Endpoints" 7 0x3d42_c78f];
        /// The answer holds `status`, and it is `success`.
        REPLY_STATUS: Must Server Check ["Request envelope for creating records" 2 0xca53_b92e, "Endpoints" 7 0x3d42_c78f];
        /// How far a timestamp may be from the server's clock is left open; the simulator refuses the far future and the far past.
        TIMESTAMP_RANGE: Must Server Open ["Request envelope for creating records" 1 0x8f07_ee3e];
        /// How large a message may be is left open; the simulator has a limit.
        SIZE: Must Server Open ["Request envelope for creating records" 1 0x8f07_ee3e];
    }

    /// The list of messages: `GET /messages`.
    mod listing {
        /// The answer holds the array `messages`, whose elements are records.
        LISTED: Must Server Check ["Endpoints" 2 0x0983_929a, "Endpoints" 5 0xc3a2_1e8a];
        /// A message that was taken is in the list that its sender's address selects.
        FINDS: Must Server Check ["Endpoints" 5 0xc3a2_1e8a];
        /// With `hashes`, every listed message has one of these hashes.
        HASHES: Must Server Check ["Endpoints" 5 0xc3a2_1e8a];
        /// With `addresses`, every listed message was sent by one of these addresses.
        ADDRESSES: Must Server Check ["Endpoints" 5 0xc3a2_1e8a];
        /// With `channels`, every listed message stands on one of these channels.
        CHANNELS: Must Server Check ["Endpoints" 5 0xc3a2_1e8a];
        /// With `types`, every listed message has one of these types.
        TYPES: Must Server Check ["Endpoints" 5 0xc3a2_1e8a];
        /// Values with commas between them are alternatives: messages of each are listed.
        ANY_OF: Must Server Check ["Endpoints" 5 0xc3a2_1e8a];
        /// Several filters hold together.
        ALL_OF: Must Server Check ["Endpoints" 5 0xc3a2_1e8a];
        /// `tags` is taken.
        TAGS: Must Server Check ["Endpoints" 5 0xc3a2_1e8a];
        /// `content.keys` is taken.
        CONTENT_KEYS: Must Server Check ["Endpoints" 5 0xc3a2_1e8a];
        /// Where a message holds its tags is left open; the simulator looks into its content.
        TAGS_SELECT: Must Server Open ["Endpoints" 5 0xc3a2_1e8a];
        /// What `content.keys` selects is left open; the simulator lists messages whose content has something at that path.
        CONTENT_KEYS_SELECT: Must Server Open ["Endpoints" 5 0xc3a2_1e8a];
    }

    /// The flat list of messages: `GET /messages.json`.
    mod flat {
        /// The elements are the messages themselves: their fields stand at the top, in no wrapper.
        FLAT: Must Server Check ["Endpoints" 6 0xc99f_f3ad, "Endpoints" 33 0x0f3d_628a];
        /// A message that was taken is in the flat list that its sender's address selects.
        FINDS: Must Server Check ["Endpoints" 6 0xc99f_f3ad, "Events" 6 0x1b53_e5bf];
        /// With `addresses`, every message was sent by one of these addresses.
        ADDRESSES: Must Server Check ["Endpoints" 6 0xc99f_f3ad, "Events" 6 0x1b53_e5bf];
        /// With `channels`, every message stands on one of these channels.
        CHANNELS: Must Server Check ["Endpoints" 6 0xc99f_f3ad, "Events" 6 0x1b53_e5bf];
        /// With `content_types`, the content of every message has one of these types.
        CONTENT_TYPES: Must Server Check ["Endpoints" 6 0xc99f_f3ad, "Events" 6 0x1b53_e5bf];
        /// With `startDate` in seconds, no message is older.
        START_DATE: Must Server Check ["Endpoints" 6 0xc99f_f3ad, "Events" 6 0x1b53_e5bf];
        /// With `endDate` in seconds, no message is younger.
        END_DATE: Must Server Check ["Endpoints" 6 0xc99f_f3ad, "Events" 6 0x1b53_e5bf];
        /// Whether a message exactly at a date is listed is left open; the simulator lists it at the start and not at the end.
        EDGES: Must Server Open ["Endpoints" 6 0xc99f_f3ad];
    }

    /// Pages of every list.
    mod paging {
        /// A list is answered with `pagination` beside its array.
        NAMED: Must Server Check ["Endpoints" 2 0x0983_929a];
        /// `total`, `page`, `per_page` and `total_pages` are integers.
        INTEGERS: Must Server Check ["Pagination object" 1 0x148b_dacf];
        /// Without `limit` a page holds 20 elements.
        DEFAULT_LIMIT: Must Server Check ["Endpoints" 2 0x0983_929a, "Limits" 1 0x4109_c8a8];
        /// With `limit` a page holds that many elements, the last one fewer.
        LIMIT: Must Server Check ["Endpoints" 2 0x0983_929a, "Limits" 1 0x4109_c8a8];
        /// No page holds more than 100 elements, whatever the limit asked for.
        MAXIMUM: Must Server Check ["Endpoints" 2 0x0983_929a, "Limits" 1 0x4109_c8a8];
        /// `per_page` is never below the number of elements returned.
        PER_PAGE: Must Server Check ["Pagination object" 1 0x148b_dacf];
        /// `page` is the page that was asked for.
        PAGE: Must Server Check ["Pagination object" 1 0x148b_dacf, "Endpoints" 2 0x0983_929a];
        /// `total` counts the elements of all pages.
        TOTAL: Must Server Check ["Pagination object" 1 0x148b_dacf];
        /// `total_pages` counts the pages that hold something.
        TOTAL_PAGES: Must Server Check ["Pagination object" 1 0x148b_dacf];
        /// Without `page` the first page is returned.
        FIRST_PAGE: Must Server Check ["Endpoints" 2 0x0983_929a];
        /// Paging through a list shows every element once.
        PAGES: Must Server Check ["Endpoints" 2 0x0983_929a];
        /// The same page asked for twice holds the same elements in the same order.
        STABLE: Must Server Check ["Endpoints" 2 0x0983_929a];
        /// A page behind the last holds nothing.
        PAST_END: Must Server Check ["Endpoints" 2 0x0983_929a];
        /// A `page` or `limit` that is zero, negative or no number gets a list or a documented refusal, and no internal error.
        ODD_VALUES: Must Server Check ["Endpoints" 2 0x0983_929a, "Errors" 1 0x53a1_7b62];
    }

    /// Files: `POST /storage/store`, `GET /storage/{hash}` and `GET /storage/raw/{hash}`.
    mod storage {
        /// An upload is answered by `item_hash` and `status`, which is `success`.
        STORED: Must Server Check ["Endpoints" 8 0x1b72_a93d, "Request envelope for creating records" 2 0xca53_b92e];
        /// The file comes back as it was uploaded.
        CONTENT: Must Server Check ["Endpoints" 9 0xe984_4fec, "What the service does" 2 0x94cf_cb2b];
        /// The file comes back with the content type it was uploaded with.
        CONTENT_TYPE: Must Server Check ["Endpoints" 9 0xe984_4fec];
        /// The raw file has the bytes that were uploaded.
        RAW: Must Server Check ["Endpoints" 10 0x16d4_b5a3, "Node metrics records" 5 0xd1e8_f501];
        /// The message of an upload is sent by the form's `address`.
        ADDRESS: Must Server Check ["Endpoints" 8 0x1b72_a93d];
        /// The message of an upload stands on the form's `channel`.
        CHANNEL: Must Server Check ["Endpoints" 8 0x1b72_a93d];
        /// The message of an upload without a channel stands on the default channel.
        CHANNEL_DEFAULT: Must Server Check ["Endpoints" 8 0x1b72_a93d];
        /// `tags` with commas between them are taken.
        TAGS: Must Server Check ["Endpoints" 8 0x1b72_a93d];
        /// A body that is no multipart form is refused.
        MULTIPART: Must Server Check ["Endpoints" 8 0x1b72_a93d, "Errors" 1 0x53a1_7b62];
        /// A form without `file` is refused.
        FILE_REQUIRED: Must Server Check ["Endpoints" 8 0x1b72_a93d, "Errors" 1 0x53a1_7b62];
        /// A form without `address` is refused.
        ADDRESS_REQUIRED: Must Server Check ["Endpoints" 8 0x1b72_a93d, "Errors" 1 0x53a1_7b62];
        /// Where a target verifies signatures, a signature of another file's hash is refused.
        SIGNATURE: Must Server Check ["Endpoints" 8 0x1b72_a93d];
        /// A hash that no file has is not found.
        UNKNOWN: Must Server Check ["Endpoints" 9 0xe984_4fec, "Errors" 1 0x53a1_7b62];
        /// A hash that no file has is not found raw.
        UNKNOWN_RAW: Must Server Check ["Endpoints" 10 0x16d4_b5a3, "Errors" 1 0x53a1_7b62];
        /// Which text of which hash is signed is left open; the simulator reads the hexadecimal SHA-256 of the file, signed as a wallet signs text.
        SIGNED_TEXT: Must Client Open ["Endpoints" 8 0x1b72_a93d];
        /// How large a file may be is not shown; the simulator has a limit.
        SIZE: Must Server Open ["Limits" 9 0xb2ea_219a];
    }

    /// Keyed documents of an address.
    mod aggregates {
        /// A creation is answered by `item_hash` and `status`, which is `success`.
        CREATED: Must Server Check ["Endpoints" 14 0x8a57_f196, "Request envelope for creating records" 2 0xca53_b92e];
        /// A content without `key` as a text is refused.
        CREATE_KEY: Must Server Check ["Endpoints" 14 0x8a57_f196, "Aggregate" 1 0x28a2_ed65];
        /// A content whose `address` is no text is refused.
        CREATE_ADDRESS: Must Server Check ["Endpoints" 14 0x8a57_f196, "Aggregate" 1 0x28a2_ed65];
        /// A content whose `content` is no object is refused.
        CREATE_CONTENT: Must Server Check ["Endpoints" 14 0x8a57_f196, "Aggregate" 1 0x28a2_ed65];
        /// `key` is the key that was asked for.
        KEY: Must Server Check ["Aggregate" 1 0x28a2_ed65, "Endpoints" 11 0xbd88_112a];
        /// `address` is the owner's.
        ADDRESS: Must Server Check ["Aggregate" 1 0x28a2_ed65, "Endpoints" 11 0xbd88_112a];
        /// `content` is the object that was written.
        CONTENT: Must Server Check ["Aggregate" 1 0x28a2_ed65, "Endpoints" 11 0xbd88_112a];
        /// `time` is an integer, in seconds.
        TIME: Must Server Check ["Aggregate" 1 0x28a2_ed65];
        /// `item_hash` is the hash of a message that wrote the aggregate.
        ITEM_HASH: Must Server Check ["Aggregate" 1 0x28a2_ed65];
        /// The same key of another address is another aggregate.
        PER_ADDRESS: Must Server Check ["What the service does" 2 0x94cf_cb2b, "Endpoints" 11 0xbd88_112a];
        /// The whole object written again, later, takes the place of the first.
        REWRITTEN: Must Server Check ["Endpoints" 14 0x8a57_f196];
        /// Some members written later leave the others as they were, or take the place of the whole; which one is the target's choice.
        PARTIAL: Must Server Check ["Endpoints" 14 0x8a57_f196];
        /// An aggregate that nobody wrote is not found, or has no content.
        UNKNOWN: Must Server Check ["Endpoints" 11 0xbd88_112a, "Errors" 1 0x53a1_7b62];
        /// The list's answer holds the array `aggregates`.
        LISTED: Must Server Check ["Endpoints" 2 0x0983_929a, "Endpoints" 12 0xad67_734b];
        /// With `address`, every listed aggregate is this address'.
        BY_ADDRESS: Must Server Check ["Endpoints" 12 0xad67_734b];
        /// With `key`, every listed aggregate has this key.
        BY_KEY: Must Server Check ["Endpoints" 12 0xad67_734b];
        /// With `keys`, every listed aggregate has one of these keys.
        BY_KEYS: Must Server Check ["Endpoints" 12 0xad67_734b];
        /// `content.fields` is taken.
        FIELDS: Must Server Check ["Endpoints" 12 0xad67_734b];
        /// An address with `.json` returns what the address wrote.
        JSON: Must Server Check ["Endpoints" 13 0xc81e_3a98];
        /// With `keys`, only aggregates of these keys are returned for an address.
        JSON_KEYS: Must Server Check ["Endpoints" 13 0xc81e_3a98, "Node metrics records" 5 0xd1e8_f501];
        /// With `limit`, no more aggregates than that are returned for an address.
        JSON_LIMIT: Must Server Check ["Endpoints" 13 0xc81e_3a98, "Node metrics records" 5 0xd1e8_f501];
        /// An address that wrote nothing is not found, or has no aggregates.
        JSON_UNKNOWN: Must Server Check ["Endpoints" 13 0xc81e_3a98, "Errors" 1 0x53a1_7b62];
        /// Who besides the owner may write an aggregate is left open here; the simulator takes the owner alone, and whom the owner has authorized.
        OWNER: Must Server Open ["Endpoints" 14 0x8a57_f196];
    }

    /// Serverless programs.
    mod programs {
        /// A creation is answered by `item_hash` and `status`, which is `success`.
        CREATED: Must Server Check ["Endpoints" 15 0xbc1b_a066, "Request envelope for creating records" 2 0xca53_b92e];
        /// A program whose `runtime` is no text is refused.
        RUNTIME: Must Server Check ["Endpoints" 15 0xbc1b_a066];
        /// A program whose `memory` is no integer is refused.
        MEMORY: Must Server Check ["Endpoints" 15 0xbc1b_a066, "Limits" 7 0x08c4_7f45];
        /// A program whose `timeout` is no integer is refused.
        TIMEOUT: Must Server Check ["Endpoints" 15 0xbc1b_a066, "Limits" 7 0x08c4_7f45];
        /// A program that was taken can be run by its hash.
        RUN: Must Server Check ["Endpoints" 16 0x72ce_7adb, "What the service does" 2 0x94cf_cb2b];
        /// A run whose `variables` are no object of texts is refused.
        VARIABLES: Must Server Check ["Endpoints" 16 0x72ce_7adb, "Errors" 1 0x53a1_7b62];
        /// A program that nobody stored is not found.
        UNKNOWN: Must Server Check ["Endpoints" 16 0x72ce_7adb, "Errors" 1 0x53a1_7b62];
        /// What a run returns depends on the program; the simulator runs a small template language of its own.
        RESULT: Must Server Open ["Endpoints" 16 0x72ce_7adb];
    }

    /// Virtual machine instances.
    mod instances {
        /// A creation is answered by `item_hash` and `status`, which is `success`.
        CREATED: Must Server Check ["Endpoints" 17 0xce4f_8ead, "Request envelope for creating records" 2 0xca53_b92e];
        /// A creation is answered by `instance_id`, under which the instance is found.
        CREATED_ID: Must Server Check ["Endpoints" 17 0xce4f_8ead];
        /// A creation is answered by `ipv6`, an IPv6 address.
        CREATED_IPV6: Must Server Check ["Endpoints" 17 0xce4f_8ead];
        /// A content whose `cpu`, `memory` or `disk` is no integer is refused.
        CREATE_NUMBERS: Must Server Check ["Endpoints" 17 0xce4f_8ead];
        /// A content whose `name`, `description`, `image` or `ssh_key` is no text is refused.
        CREATE_TEXTS: Must Server Check ["Endpoints" 17 0xce4f_8ead];
        /// A content whose `allowedPorts` are no array of integers is refused.
        CREATE_FIREWALL: Must Server Check ["Endpoints" 17 0xce4f_8ead];
        /// `instance_id` is the one that was asked for.
        ID: Must Server Check ["Instance" 1 0x18ca_5696, "Endpoints" 18 0xc23e_4f25];
        /// `owner` is the address that created it.
        OWNER: Must Server Check ["Instance" 2 0x4ada_d0ff];
        /// `name` is the one it was created with.
        NAME: Must Server Check ["Instance" 3 0x6595_f6dc];
        /// `description` is the one it was created with.
        DESCRIPTION: Must Server Check ["Instance" 4 0xd89b_d345];
        /// `cpu` is the integer it was created with.
        CPU: Must Server Check ["Instance" 5 0x03f7_9410];
        /// `memory` is the integer it was created with.
        MEMORY: Must Server Check ["Instance" 6 0x229e_0cbf];
        /// `disk` is the integer it was created with.
        DISK: Must Server Check ["Instance" 7 0x2925_cefb];
        /// `image` is the one it was created with.
        IMAGE: Must Server Check ["Instance" 8 0x28dd_6c3f];
        /// `ipv6` is the address that the creation was answered with.
        IPV6: Must Server Check ["Instance" 9 0x2583_630f];
        /// `status` is a text.
        STATUS: Must Server Check ["Instance" 10 0x985f_bee1];
        /// `created_at` is an integer, in seconds.
        CREATED_AT: Must Server Check ["Instance" 11 0xe930_dadc];
        /// `updated_at` is an integer, in seconds, and not before the creation.
        UPDATED_AT: Must Server Check ["Instance" 12 0x4cff_e908];
        /// An instance that nobody created is not found.
        UNKNOWN: Must Server Check ["Endpoints" 18 0xc23e_4f25, "Errors" 1 0x53a1_7b62];
        /// The list's answer holds the array `instances`.
        LISTED: Must Server Check ["Endpoints" 2 0x0983_929a, "Endpoints" 19 0xbfb6_a8ae];
        /// With `address`, every listed instance is this address'.
        BY_ADDRESS: Must Server Check ["Endpoints" 19 0xbfb6_a8ae];
        /// With `status`, every listed instance has this status.
        BY_STATUS: Must Server Check ["Endpoints" 19 0xbfb6_a8ae];
        /// An update is answered by `item_hash` and `status`, which is `success`.
        UPDATED: Must Server Check ["Endpoints" 20 0xd6e3_080b, "Request envelope for creating records" 2 0xca53_b92e];
        /// After an update the instance has the new name and description.
        UPDATE_APPLIES: Must Server Check ["Endpoints" 20 0xd6e3_080b];
        /// An update of an instance that nobody created is refused.
        UPDATE_UNKNOWN: Must Server Check ["Endpoints" 20 0xd6e3_080b, "Errors" 1 0x53a1_7b62];
        /// Each of `start`, `stop` and `restart` is answered by `item_hash` and `status`, which is `success`.
        CONTROLLED: Must Server Check ["Endpoints" 21 0x4932_52ba, "Request envelope for creating records" 2 0xca53_b92e];
        /// An action besides the three is refused.
        ACTION: Must Server Check ["Endpoints" 21 0x4932_52ba, "Errors" 1 0x53a1_7b62];
        /// An action on an instance that nobody created is refused.
        CONTROL_UNKNOWN: Must Server Check ["Endpoints" 21 0x4932_52ba, "Errors" 1 0x53a1_7b62];
        /// What happens when the path and the content name two instances is left open; the simulator refuses.
        SAME_ID: Must Server Open ["Endpoints" 20 0xd6e3_080b, "Endpoints" 21 0x4932_52ba];
        /// What a control action does to the status is not shown; the simulator starts, stops and restarts.
        STATE: Must Server Open ["States and transitions" 8 0x0ed7_73cf, "Instance" 10 0x985f_bee1];
    }

    /// Pinned content.
    mod pins {
        /// A pin is answered by `item_hash` and `status`, which is `success`.
        PINNED: Must Server Check ["Endpoints" 22 0xadb2_7188, "Request envelope for creating records" 2 0xca53_b92e];
        /// A pin without `hash` as a text is refused.
        HASH_REQUIRED: Must Server Check ["Endpoints" 22 0xadb2_7188, "Errors" 1 0x53a1_7b62];
        /// Pinned content is served by its hash.
        CONTENT: Must Server Check ["Endpoints" 23 0x2e44_ba25, "What the service does" 2 0x94cf_cb2b];
        /// Pinned content is served with its content type.
        CONTENT_TYPE: Must Server Check ["Endpoints" 23 0x2e44_ba25];
        /// Content that the network does not have is not found.
        UNKNOWN: Must Server Check ["Endpoints" 23 0x2e44_ba25, "Errors" 1 0x53a1_7b62];
    }

    /// Indexed chain data.
    mod indexer {
        /// The list's answer holds the array `events`.
        EVENTS: Must Server Check ["Endpoints" 2 0x0983_929a, "Endpoints" 24 0xe171_da63];
        /// An event has the texts `transaction_hash`, `contract` and `event_name` and the integers `block_number`, `log_index` and `timestamp`.
        EVENT: Must Server Check ["Indexer records" 1 0x6393_1bfc];
        /// `args` of an event is an object, and a large number in it is a text.
        ARGS: Must Server Check ["Indexer records" 1 0x6393_1bfc];
        /// With `contract`, every event is of this contract.
        CONTRACT: Must Server Check ["Endpoints" 24 0xe171_da63];
        /// With `event_name`, every event has this name.
        EVENT_NAME: Must Server Check ["Endpoints" 24 0xe171_da63];
        /// With `from_block` and `to_block`, every event is of a block between them.
        EVENT_BLOCKS: Must Server Check ["Endpoints" 24 0xe171_da63];
        /// With `from_timestamp` and `to_timestamp`, every event is of a time between them.
        EVENT_TIMES: Must Server Check ["Endpoints" 24 0xe171_da63];
        /// The list's answer holds the array `transactions`.
        TRANSACTIONS: Must Server Check ["Endpoints" 2 0x0983_929a, "Endpoints" 25 0x873d_934e];
        /// A transaction has the texts `hash`, `from` and `to` and the integers `block_number`, `gas` and `timestamp`.
        TRANSACTION: Must Server Check ["Indexer records" 2 0xe0dc_62cc];
        /// `value` and `gas_price` of a transaction are texts.
        AMOUNTS: Must Server Check ["Indexer records" 2 0xe0dc_62cc];
        /// With `address`, every transaction was sent or received by it.
        ADDRESS: Must Server Check ["Endpoints" 25 0x873d_934e];
        /// With `address`, transactions it sent and transactions it received are both listed.
        SENT_OR_RECEIVED: Must Server Check ["Endpoints" 25 0x873d_934e];
        /// With `from`, every transaction was sent by it.
        FROM: Must Server Check ["Endpoints" 25 0x873d_934e];
        /// With `to`, every transaction was received by it.
        TO: Must Server Check ["Endpoints" 25 0x873d_934e];
        /// With `from_block` and `to_block`, every transaction is of a block between them.
        TRANSACTION_BLOCKS: Must Server Check ["Endpoints" 25 0x873d_934e];
        /// With `from_timestamp` and `to_timestamp`, every transaction is of a time between them.
        TRANSACTION_TIMES: Must Server Check ["Endpoints" 25 0x873d_934e];
        /// A block or a timestamp that is no integer is refused.
        INTEGERS: Must Server Check ["Endpoints" 24 0xe171_da63, "Endpoints" 25 0x873d_934e, "Errors" 1 0x53a1_7b62];
        /// A network that nobody indexes is refused, or has no events.
        UNKNOWN_NETWORK: Must Server Check ["Endpoints" 24 0xe171_da63, "Errors" 1 0x53a1_7b62];
        /// How `args` is written in a query is left open; the simulator reads a JSON object whose members must agree.
        ARGS_SELECT: Must Server Open ["Endpoints" 24 0xe171_da63];
    }

    /// Verifiable random numbers.
    mod vrf {
        /// `seed` is the one that was sent.
        SEED: Must Server Check ["Endpoints" 26 0x9e99_a2df];
        /// `value` is an integer.
        VALUE: Must Server Check ["Endpoints" 26 0x9e99_a2df];
        /// `value` is not below `min` and not above `max`.
        RANGE: Must Server Check ["Endpoints" 26 0x9e99_a2df];
        /// `proof` is a text that is not empty.
        PROOF: Must Server Check ["Endpoints" 26 0x9e99_a2df];
        /// A generation is answered by `status`, a text.
        GENERATE_STATUS: Must Server Check ["Endpoints" 26 0x9e99_a2df];
        /// With a `count` above one, `value` is one integer all the same.
        COUNT: Must Server Check ["Endpoints" 26 0x9e99_a2df];
        /// A generation whose `seed` is no text, or whose `min`, `max` or `count` is no integer, is refused.
        GENERATE_FIELDS: Must Server Check ["Endpoints" 26 0x9e99_a2df, "Errors" 1 0x53a1_7b62];
        /// Seed, value and proof of a generation are valid together.
        VERIFIES: Must Server Check ["Endpoints" 27 0x0275_7d28, "What the service does" 2 0x94cf_cb2b];
        /// `valid` is true or false.
        VALID: Must Server Check ["Endpoints" 27 0x0275_7d28];
        /// A verification is answered by `status`, a text.
        VERIFY_STATUS: Must Server Check ["Endpoints" 27 0x0275_7d28];
        /// A verification whose `seed` or `proof` is no text, or whose `value` is no integer, is refused.
        VERIFY_FIELDS: Must Server Check ["Endpoints" 27 0x0275_7d28, "Errors" 1 0x53a1_7b62];
        /// Under another seed, value and proof are not valid.
        OTHER_SEED: Must Server Check ["Endpoints" 27 0x0275_7d28];
        /// Another value is not valid under the proof.
        OTHER_VALUE: Must Server Check ["Endpoints" 27 0x0275_7d28];
        /// A proof with a character changed is not valid.
        OTHER_PROOF: Must Server Check ["Endpoints" 27 0x0275_7d28];
        /// What happens when `min` is above `max`, or `count` below one, is left open; the simulator refuses.
        BOUNDS: Must Server Open ["Endpoints" 26 0x9e99_a2df];
        /// Whether a seed gives the same value again is left open; in the simulator it does.
        REPEATABLE: Must Server Open ["Endpoints" 26 0x9e99_a2df];
    }

    /// Webhook registrations.
    mod webhooks {
        /// A registration is answered by `webhook_id`, a text, and `status`, which is `success`.
        REGISTERED: Must Server Check ["Endpoints" 28 0xd00c_b1d5];
        /// `message.new` and `program.executed` are taken as events.
        EVENT_NAMES: Must Server Check ["Events" 1 0xb351_4df0, "Endpoints" 28 0xd00c_b1d5];
        /// A registration whose `url` is no text is refused.
        URL: Must Server Check ["Endpoints" 28 0xd00c_b1d5, "Errors" 1 0x53a1_7b62];
        /// A registration whose `events` are no array of texts is refused.
        EVENTS: Must Server Check ["Endpoints" 28 0xd00c_b1d5, "Events" 1 0xb351_4df0, "Errors" 1 0x53a1_7b62];
        /// A registration whose `secret` is no text is refused.
        SECRET: Must Server Check ["Endpoints" 28 0xd00c_b1d5, "Events" 1 0xb351_4df0, "Errors" 1 0x53a1_7b62];
        /// What a webhook asks for is delivered to its URL.
        DELIVERED: Must Server NotObservable("payload, signature and repetition of a delivery are not shown; the simulator's own test receives one") ["Events" 1 0xb351_4df0, "What the service does" 2 0x94cf_cb2b];
    }

    /// The node itself, its address and its mirrors.
    mod info {
        /// A node's public information is JSON.
        PUBLIC: Must Server Check ["Endpoints" 29 0xccc4_f3cc, "What the service does" 13 0x4d82_7c0c];
        /// The API stands below `/api/v0`.
        PREFIX: Must Server Check ["Endpoints" 1 0x71a1_f5ca, "Versioning" 1 0x8dd3_1a78, "What the service does" 7 0xe59c_6528];
        /// What was written at one address is read at the others.
        MIRRORS: Must Server Check ["What the service does" 7 0xe59c_6528, "What the service does" 8 0xa14e_a055, "What the service does" 9 0x38f4_f085];
    }

    /// Node metrics: the records of a node over the last two weeks.
    mod metrics {
        /// The metrics of a core node are records of that node.
        CORE: Must Server Check ["Endpoints" 30 0xcd15_7f3f, "What the service does" 5 0xa609_534f];
        /// The metrics of a compute node are records of that node.
        COMPUTE: Must Server Check ["Endpoints" 31 0xdbcb_11d3, "What the service does" 5 0xa609_534f];
        /// The alternative address serves node metrics.
        ALTERNATIVE: Must Server Check ["What the service does" 8 0xa14e_a055];
        /// `measured_at` is a number, in seconds.
        MEASURED_AT: Must Server Check ["Node metrics records" 4 0xe103_3564];
        /// `node_id` is a hexadecimal text.
        NODE_ID: Must Server Check ["Node metrics records" 4 0xe103_3564];
        /// `url` is a text.
        URL: Must Server Check ["Node metrics records" 4 0xe103_3564];
        /// `asn`, where it stands, is an integer.
        ASN: Must Server Check ["Node metrics records" 4 0xe103_3564];
        /// `as_name`, where it stands, is a text.
        AS_NAME: Must Server Check ["Node metrics records" 4 0xe103_3564];
        /// `version`, where it stands, is a text.
        VERSION: Must Server Check ["Node metrics records" 4 0xe103_3564];
        /// `base_latency`, `metrics_latency`, `aggregate_latency` and `file_download_latency`, where they stand, are numbers that are not negative.
        CORE_LATENCIES: Must Server Check ["Node metrics records" 1 0x34b9_5b05, "Node metrics records" 5 0xd1e8_f501];
        /// `txs_total`, `pending_messages` and `eth_height_remaining`, where they stand, are integers.
        CORE_COUNTS: Must Server Check ["Node metrics records" 5 0xd1e8_f501];
        /// `base_latency`, `base_latency_ipv4`, `diagnostic_vm_latency`, `full_check_latency` and `diagnostic_vm_ping_latency`, where they stand, are numbers that are not negative.
        COMPUTE_LATENCIES: Must Server Check ["Node metrics records" 1 0x34b9_5b05, "Node metrics records" 7 0x7312_5b92];
        /// `features`, where it stands, is an array of `sev` and `sev_es`.
        FEATURES: Must Server Check ["Node metrics records" 7 0x7312_5b92];
        /// A healthy compute node has `base_latency`, since the 401 of its probe is what is expected.
        EXPECTED_STATUS: Must Server Check ["Node metrics records" 7 0x7312_5b92, "Errors" 4 0x2370_1be2];
        /// The field of a test that failed is absent.
        FAILED_ABSENT: Must Server Check ["Node metrics records" 2 0xf99f_ae15];
        /// A probe that is answered by a failure leaves no field.
        FAILED_STATUS: Must Server Check ["Node metrics records" 3 0x45e1_bffe];
        /// Without IPv6 a diagnostic machine has no `diagnostic_vm_ping_latency`.
        NO_IPV6: Must Server Check ["Node metrics records" 7 0x7312_5b92];
        /// No record is older than two weeks.
        RETENTION: Must Server Check ["Limits" 5 0x2ece_b5ad, "Endpoints" 30 0xcd15_7f3f, "Endpoints" 31 0xdbcb_11d3, "What the service does" 5 0xa609_534f];
        /// A record is served until it is two weeks old.
        RETAINED: Must Server Check ["Limits" 5 0x2ece_b5ad, "Endpoints" 30 0xcd15_7f3f, "Endpoints" 31 0xdbcb_11d3, "What the service does" 5 0xa609_534f];
        /// A node that does not exist is not found, or has no records.
        UNKNOWN: Must Server Check ["Endpoints" 30 0xcd15_7f3f, "Endpoints" 31 0xdbcb_11d3, "Errors" 1 0x53a1_7b62];
        /// Pending counts are low except while a node synchronises; which number is low is not stated.
        PENDING_LOW: Should Server Open ["Node metrics records" 6 0x7d28_3ba2];
    }

    /// The measurement program and its messages.
    mod measurement {
        /// Every hour has one message of measurements.
        HOURLY: Must Server Check ["Events" 3 0xe03c_30e7, "Limits" 6 0x4f32_c1b2, "What the service does" 5 0xa609_534f];
        /// Measurements are POST messages of the publisher on the scoring channel.
        PUBLISHED: Must Server Check ["Events" 3 0xe03c_30e7, "Events" 4 0x28a1_7da4];
        /// Measurements are found by at least one of the two content types that are named.
        CONTENT_TYPE: Must Server Check ["Events" 3 0xe03c_30e7, "Events" 4 0x28a1_7da4, "Events" 5 0x95e8_e093, "Events" 6 0x1b53_e5bf];
        /// A message of measurements holds its results as JSON.
        RESULTS: Must Server Check ["Events" 3 0xe03c_30e7];
        /// Every node is probed within the hour, in a random order.
        EVERY_NODE: Must Server NotObservable("which nodes exist, and when each was probed, nothing outside the network shows; the simulator's journal does") ["Events" 3 0xe03c_30e7, "What the service does" 5 0xa609_534f];
    }

    /// What the measurement program probes.
    mod probes {
        /// A compute node answers `/about/login` without credentials by 401.
        LOGIN: Must Server Check ["Node metrics records" 7 0x7312_5b92, "Errors" 4 0x2370_1be2, "Endpoints" 32 0x1df6_ae73];
        /// A compute node answers for its diagnostic machine.
        VM: Must Server Check ["Node metrics records" 7 0x7312_5b92, "Endpoints" 32 0x1df6_ae73];
        /// A compute node answers its status check.
        STATUS_CHECK: Must Server Check ["Node metrics records" 7 0x7312_5b92, "Endpoints" 32 0x1df6_ae73];
        /// A core node answers `/metrics.json`.
        METRICS: Must Server Check ["Node metrics records" 5 0xd1e8_f501];
    }

    /// Reading a STORE message.
    mod store {
        /// `status` of a STORE message is one of the six.
        STATUS: Must Server Check ["States and transitions" 7 0x3f80_1f68, "Endpoints" 4 0x5639_ec0a];
        /// A STORE message that is processed holds `content.item_hash`.
        PROCESSED: Must Server Check ["Reading the STORE message (recovery rules)" 1 0x2c05_70ce, "Endpoints" 33 0x0f3d_628a];
        /// The message of an upload is a STORE.
        TYPE: Must Server Check ["Reading the STORE message (recovery rules)" 4 0x9608_3658, "Endpoints" 8 0x1b72_a93d, "Message record" 4 0xa964_0795];
        /// A forgotten message is answered by 200 and the status `forgotten`.
        FORGOTTEN: Must Server Check ["Reading the STORE message (recovery rules)" 2 0x4087_1954, "States and transitions" 5 0xf217_f297];
        /// A forgotten message has no `content.item_hash` any more.
        STRIPPED: Must Server Check ["Reading the STORE message (recovery rules)" 2 0x4087_1954];
        /// Two days after a FORGET its file is gone.
        FORGOTTEN_BYTES: Must Server Check ["States and transitions" 5 0xf217_f297];
        /// A message whose payer ran out is `removing` at first, complete and with its file.
        REMOVING: Must Server Check ["States and transitions" 6 0x619a_cd3e, "States and transitions" 7 0x3f80_1f68, "Reading the STORE message (recovery rules)" 1 0x2c05_70ce];
        /// A message that was reclaimed is answered by 200 and the status `removed`, or by 410.
        REMOVED: Must Server Check ["Reading the STORE message (recovery rules)" 3 0xd3a1_35d3, "States and transitions" 6 0x619a_cd3e, "States and transitions" 7 0x3f80_1f68];
        /// The file of a message that was reclaimed is gone.
        REMOVED_BYTES: Must Server Check ["Reading the STORE message (recovery rules)" 3 0xd3a1_35d3, "States and transitions" 6 0x619a_cd3e];
        /// A node that lacks the message answers 404.
        LAGGING: Must Server Check ["Reading the STORE message (recovery rules)" 4 0x9608_3658, "Errors" 5 0x7e3f_7118];
        /// The content identifier of a live STORE is `message.content.item_hash`.
        READ_LIVE: Must Reader Vector ["Reading the STORE message (recovery rules)" 1 0x2c05_70ce, "Endpoints" 33 0x0f3d_628a];
        /// `removing` is read as `processed` is.
        READ_REMOVING: Must Reader Vector ["Reading the STORE message (recovery rules)" 1 0x2c05_70ce, "States and transitions" 7 0x3f80_1f68];
        /// The status `forgotten` gives no identifier and the warning `STORE_FORGOTTEN`.
        READ_FORGOTTEN: Must Reader Vector ["Reading the STORE message (recovery rules)" 2 0x4087_1954];
        /// The status `removed` gives no identifier and the warning `STORE_REMOVED`.
        READ_REMOVED: Must Reader Vector ["Reading the STORE message (recovery rules)" 3 0xd3a1_35d3];
        /// A 410 is read as `removed`.
        READ_GONE: Must Reader Vector ["Reading the STORE message (recovery rules)" 3 0xd3a1_35d3];
        /// A 404 gives no identifier and the warning `STORE_ABSENT`.
        READ_ABSENT: Must Reader Vector ["Reading the STORE message (recovery rules)" 4 0x9608_3658];
        /// A 200 that is no STORE, or has no `content.item_hash`, is read as absent.
        READ_NOT_STORE: Must Reader Vector ["Reading the STORE message (recovery rules)" 4 0x9608_3658];
        /// `pending` and `rejected` say nothing about the bytes: no identifier, and none of the three warnings.
        READ_UNDECIDED: Must Reader Vector ["Reading the STORE message (recovery rules)" 5 0x9420_dd01];
        /// The field `status` decides before the shape of the response does.
        READ_STATUS_FIRST: Must Reader Vector ["Reading the STORE message (recovery rules)" 5 0x9420_dd01];
        /// How an answer besides 200, 404 and 410 is read is left open; the reference takes nothing from it.
        READ_OTHER: Must Reader Open ["Reading the STORE message (recovery rules)" 5 0x9420_dd01];
    }

    /// Forgetting.
    mod forget {
        /// A FORGET of good targets forgets every one of them.
        APPLIES: Must Server Check ["Reading the STORE message (recovery rules)" 6 0xea18_8145, "States and transitions" 5 0xf217_f297];
        /// A FORGET with a target that is not known forgets nothing.
        ALL_OR_NOTHING: Must Server Check ["Reading the STORE message (recovery rules)" 6 0xea18_8145];
        /// A message that is `removing` is a good target.
        REMOVING_TARGET: Must Server Check ["States and transitions" 7 0x3f80_1f68];
        /// A FORGET with a target that is `removed` forgets nothing.
        REMOVED_FAILS: Must Server Check ["Reading the STORE message (recovery rules)" 6 0xea18_8145];
        /// A FORGET with a target that is `pending` forgets nothing while it is.
        PENDING_FAILS: Must Server Check ["Reading the STORE message (recovery rules)" 6 0xea18_8145];
        /// A FORGET with a target that is `rejected` forgets nothing.
        REJECTED_FAILS: Must Server Check ["Reading the STORE message (recovery rules)" 6 0xea18_8145];
        /// A FORGET that failed is tried again, and applies once its targets are good.
        RETRIED: Must Server Check ["Reading the STORE message (recovery rules)" 6 0xea18_8145];
        /// A FORGET that goes on failing is rejected in the end.
        FINALLY_REJECTED: Must Server Check ["Reading the STORE message (recovery rules)" 6 0xea18_8145];
        /// A FORGET whose `hashes` are no array of texts is refused.
        HASHES: Must Server Check ["Stored records written by the hosting application" 45 0x5680_55c7, "Errors" 1 0x53a1_7b62];
        /// A POST stays readable after the FORGET of the STORE that it names.
        POSTS_REMAIN: Must Server Check ["Reading the STORE message (recovery rules)" 8 0x60ad_3e6e];
        /// What becomes of a FORGET of another owner's target, of a target that is no STORE, named twice or forgotten already, is left open; the simulator rejects the first two and passes over the others.
        OWN_TARGETS: Must Server Open ["Reading the STORE message (recovery rules)" 6 0xea18_8145, "Stored records written by the hosting application" 45 0x5680_55c7];
    }

    /// Signatures: what bytes are signed, and by whom.
    mod signing {
        /// Digests are Keccak-256 with its own padding, not SHA3-256.
        KECCAK: Must Record Vector ["Signing of stored records" 2 0x4588_c5e2];
        /// A signed text is hashed behind the byte 0x19, the words of the personal message, a newline and its length.
        PREFIX: Must Record Vector ["Signing of stored records" 2 0x4588_c5e2, "Signing of stored records" 3 0xef7f_2ed3, "General request signing" 2 0xeb7d_9aab];
        /// The length in the prefix counts bytes, in decimal.
        LENGTH: Must Record Vector ["Signing of stored records" 2 0x4588_c5e2, "Deriving E" 2 0x4827_cf17];
        /// A signature is written as 0x and hexadecimal digits; the 0x may be missing.
        SIGNATURE_TEXT: Must Record Vector rule "signature.text" ["Signing of stored records" 2 0x4588_c5e2, "General request signing" 2 0xeb7d_9aab];
        /// A signature has 65 bytes: r, s and v.
        SIGNATURE_LENGTH: Must Record Vector rule "signature.length" ["Signing of stored records" 2 0x4588_c5e2, "General request signing" 2 0xeb7d_9aab];
        /// v is 27 or 28; readers take 0 and 1 for the same.
        SIGNATURE_V: Must Record Vector rule "signature.v" ["Signing of stored records" 2 0x4588_c5e2, "General request signing" 2 0xeb7d_9aab];
        /// r and s are scalars of the curve that are not zero, and a public key can be recovered from them.
        SIGNATURE_SCALARS: Must Record Vector rule "signature.scalars" ["Signing of stored records" 2 0x4588_c5e2, "General request signing" 2 0xeb7d_9aab];
        /// Whether the higher of the two values of s is taken is left open; it is never written.
        LOW_S: Must Record Open rule "signature.low-s" ["Signing of stored records" 2 0x4588_c5e2];
        /// The key that is recovered is the stated signer's.
        SIGNER: Must Record Vector rule "signature.signer" ["Signing of stored records" 3 0xef7f_2ed3, "General request signing" 2 0xeb7d_9aab, "Message record" 8 0xd120_8070];
        /// An address is the last 20 bytes of the Keccak-256 of the uncompressed public key without its first byte.
        ADDRESS: Must Record Vector ["Primitives" 1 0x2aab_6cb4];
        /// A public key is 0x04 and 128 hexadecimal digits, a point of the curve.
        PUBLIC_KEY: Must Record Vector rule "address.public-key" ["Primitives" 1 0x2aab_6cb4];
        /// A private key is 32 bytes: a scalar of the curve that is not zero.
        SECRET_KEY: Must Record Vector rule "secret-key.form" ["General request signing" 2 0xeb7d_9aab];
        /// The text of a signed request is a JSON object.
        REQUEST_FORM: Must Record Vector rule "request.form" ["General request signing" 2 0xeb7d_9aab];
        /// A signed request holds its timestamp as an integer.
        REQUEST_TIMESTAMP: Must Record Vector rule "request.timestamp" ["General request signing" 2 0xeb7d_9aab];
        /// A signed request holds a nonce, a text that is not empty.
        REQUEST_NONCE: Must Record Vector rule "request.nonce" ["General request signing" 2 0xeb7d_9aab];
        /// A request is signed as its text, byte for byte.
        REQUEST_TEXT: Must Record Vector ["General request signing" 2 0xeb7d_9aab];
        /// A record is a JSON object of `type`, `channel` and `content`, and its content one of `address`, `content` (a FORGET: `hashes`) and `time`.
        RECORD_FORM: Must Record Vector rule "canonical.form" ["Signing of stored records" 1 0x241b_c8ec];
        /// The members of the canonical JSON stand in the documented order, whatever the order received.
        RECORD_ORDER: Must Record Vector ["Signing of stored records" 1 0x241b_c8ec];
        /// No other member of the message or of its content is part of the canonical JSON.
        RECORD_MEMBERS: Must Record Vector ["Signing of stored records" 1 0x241b_c8ec];
        /// `key`, `type` and `ref` stand in the canonical JSON only where they are present.
        RECORD_OPTIONAL: Must Record Vector ["Signing of stored records" 1 0x241b_c8ec];
        /// Below its documented levels the canonical JSON keeps the order received.
        RECORD_NESTED: Must Record Vector ["Signing of stored records" 1 0x241b_c8ec];
        /// The canonical JSON has no white space between its tokens, and characters beyond ASCII stand as they are.
        RECORD_COMPACT: Must Record Vector ["Signing of stored records" 1 0x241b_c8ec];
        /// The 32 bytes of the canonical JSON's Keccak-256 are signed, not their hexadecimal text.
        RECORD_DIGEST: Must Record Vector ["Signing of stored records" 2 0x4588_c5e2];
        /// What a key that stands twice means is left open; such a record is not read.
        RECORD_DUPLICATES: Must Record Open rule "canonical.duplicate" ["Signing of stored records" 1 0x241b_c8ec];
        /// How other numbers than integers up to 2^53 are written is left open; a record with one is not read.
        RECORD_NUMBERS: Must Record Open rule "canonical.number" ["Signing of stored records" 1 0x241b_c8ec];
        /// A message signed by the general procedure is taken.
        GENERAL_TAKEN: Must Server Check ["General request signing" 2 0xeb7d_9aab];
        /// An aggregate signed over its canonical JSON is taken.
        RECORD_TAKEN: Must Server Check ["Signing of stored records" 1 0x241b_c8ec, "Signing of stored records" 2 0x4588_c5e2];
        /// Where a target verifies signatures, a message signed by another key is refused.
        VERIFIED: Must Server Check ["General request signing" 1 0xcc14_ff51, "General request signing" 2 0xeb7d_9aab, "Message record" 8 0xd120_8070];
    }

    /// Refusals.
    mod errors {
        /// A refusal is JSON of `error` (a text), `status` (`error`) and `code` (a text).
        BODY: Must Server Check ["Errors" 2 0x54f4_fdb6];
        /// A malformed request is answered by 400.
        BAD_REQUEST: Must Server Check ["Errors" 1 0x53a1_7b62];
        /// Whatever is wrong with a request, it is answered, and not by an internal error.
        NO_INTERNAL: Must Server Check ["Errors" 1 0x53a1_7b62];
        /// A refused creation stores nothing.
        NOTHING_STORED: Must Server Check ["Errors" 1 0x53a1_7b62, "Request envelope for creating records" 2 0xca53_b92e];
        /// What is answered by 401 is not shown; the simulator answers so when a signature is missing.
        UNAUTHORIZED: Must Server Open ["Errors" 1 0x53a1_7b62];
        /// What is answered by 403 is not shown; the simulator answers so when a signature is another key's.
        FORBIDDEN: Must Server Open ["Errors" 1 0x53a1_7b62];
        /// What is answered by 500 is the server's own failure; the simulator answers so by a fault.
        INTERNAL: Must Server Open ["Errors" 1 0x53a1_7b62];
    }

    /// Rates.
    mod limits {
        /// An address may send 100 requests a minute to general endpoints, and is refused within twice as many.
        GENERAL: Must Server Check ["Limits" 2 0xde30_ca1b, "Limits" 8 0x2ad6_6651];
        /// An address may send 300 requests a minute to the endpoints that a target declares as authenticated, and is refused within twice as many.
        AUTHENTICATED: Must Server Check ["Limits" 3 0xc5ee_0f38, "Limits" 8 0x2ad6_6651];
        /// An address may run 10 programs a minute, and is refused within twice as many.
        HEAVY: Must Server Check ["Limits" 4 0x0ac5_e68b, "Limits" 8 0x2ad6_6651];
        /// A refusal over the rate says by `Retry-After` when to come back, in whole seconds.
        RETRY_AFTER: Must Server Check ["Errors" 1 0x53a1_7b62, "Limits" 8 0x2ad6_6651];
        /// Who waits a minute may ask again.
        MINUTE_PASSES: Must Server Check ["Limits" 2 0xde30_ca1b, "Limits" 3 0xc5ee_0f38, "Limits" 4 0x0ac5_e68b];
        /// Requests of one address do not count for another.
        PER_ADDRESS: Must Server Check ["Limits" 2 0xde30_ca1b, "Limits" 3 0xc5ee_0f38, "Limits" 4 0x0ac5_e68b];
    }

    /// The services beside the network, as far as they are shown.
    mod neighbours {
        /// The scheduler's paths are named and their answers not shown; the simulator offers a plan, an allocation and the nodes.
        SCHEDULER: Must Server Open ["What the service does" 10 0x70ce_42f2, "Endpoints" 35 0xbddf_6ed0];
        /// The status service's path is named and its answer not shown; the simulator offers the health of its services.
        STATUS: Must Server Open ["What the service does" 11 0x8166_82f8, "Endpoints" 35 0xbddf_6ed0];
        /// The credit service's paths are named and their answers not shown; the simulator offers purchases in pages and an estimate.
        CREDIT: Must Server Open ["What the service does" 12 0x4561_8a89, "Endpoints" 35 0xbddf_6ed0];
    }
}
