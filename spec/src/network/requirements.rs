//! Every statement of document 2 about the node API, one row each.

crate::requirements! {
    service Network;

    /// One message and its record: `POST /messages` and `GET /messages/{hash}`.
    mod messages {
        /// The client chooses the type of a message: `POST /messages` accepts a POST and an AGGREGATE.
        TYPE_FREE: Must Server Check at MESSAGE_CREATION ["Endpoints" 0x3d42_c78f];
        /// A message that was accepted can be read by its hash.
        FOUND: Must Server Check at MESSAGE ["What the service does" 0x94cf_cb2b, "Endpoints" 0x5639_ec0a];
        /// The response for one message is an object of `status`, `item_hash` and `message`; the record is inside `message`.
        WRAPPER: Must Server Check at MESSAGE ["Endpoints" 0x5639_ec0a, "Endpoints" 0x0f3d_628a];
        /// `status` beside the record is that of the message, not the `success` of a create call.
        WRAPPER_STATUS: Should Server Check at MESSAGE ["Endpoints" 0x5639_ec0a, "States and transitions" 0x3f80_1f68];
        /// `item_hash` beside the record is the requested hash.
        WRAPPER_HASH: Must Server Check at MESSAGE ["Endpoints" 0x5639_ec0a];
        /// `item_hash` of the record is the one that the create call returned.
        ITEM_HASH: Must Server Check at MESSAGE ["Message record" 0x030c_7a42];
        /// `chain` is the string that was sent.
        CHAIN: Must Server Check at MESSAGE ["Message record" 0x5aed_1437];
        /// `sender` is the address of the envelope.
        SENDER: Must Server Check at MESSAGE ["Message record" 0x96f0_f339];
        /// `type` is the type that was sent.
        TYPE: Must Server Check at MESSAGE ["Message record" 0xa964_0795];
        /// `channel` is the string that was sent.
        CHANNEL: Must Server Check at MESSAGE ["Message record" 0x9250_511b];
        /// An accepted message without a channel is on the default channel.
        CHANNEL_DEFAULT: Must Server Check at CREATIONS ["Message record" 0x9250_511b];
        /// `timestamp` is the integer that was sent, in seconds.
        TIMESTAMP: Must Server Check at MESSAGE ["Message record" 0x09bc_6a8f];
        /// `content` is the object that was sent.
        CONTENT: Must Server Check at MESSAGE keeps CONTENTS ["Message record" 0x375c_704d];
        /// A message stays as it was sent: later messages, such as an amend of it and a FORGET, change no member but those that the document
        /// names, and time changes none.
        UNCHANGED: Must Server Check at LATER_MESSAGES ["Message record" 0x375c_704d];
        /// `signature` is the string that was sent.
        SIGNATURE: Must Server Check at MESSAGE ["Message record" 0xd120_8070];
        /// `confirmations` is an array of objects with `chain` (string), `height` (integer) and `hash` (string).
        CONFIRMATIONS: Must Server Check at MESSAGE ["Message record" 0xd464_4fa1];
        /// The same message sent again is not listed twice under one hash.
        SAME_TWICE: Must Server Check at CREATIONS ["Message record" 0x030c_7a42];
        /// A hash that no message has returns 404.
        UNKNOWN: Must Server Check at MESSAGE rejects NOT_FOUND ["Endpoints" 0x5639_ec0a, "Errors" 0x53a1_7b62];
    }

    /// The request envelope of every create call. A malformed envelope is rejected with a documented 4xx status.
    mod envelope {
        /// The body is a JSON object.
        BODY: Must Server Check at CREATIONS rejects ENVELOPE ["Request envelope for creating records" 0x8f07_ee3e, "Endpoints" 0x68e7_8c41];
        /// The server accepts a body in another spelling of its JSON: order of the members, white space, escapes that need not be.
        SPELLING: Must Server Check at BODIES accepts SPELLINGS ["Request envelope for creating records" 0x8f07_ee3e, "Endpoints" 0x68e7_8c41];
        /// `message` is present and is an object.
        MESSAGE: Must Server Check at CREATIONS values MESSAGE rejects ENVELOPE ["Request envelope for creating records" 0x8f07_ee3e];
        /// `signature` is a string.
        SIGNATURE: Must Server Check at CREATIONS values SIGNATURE rejects ENVELOPE ["Request envelope for creating records" 0x8f07_ee3e];
        /// `address` is present and is a string that is not empty.
        ADDRESS: Must Server Check at CREATIONS values ADDRESS rejects ENVELOPE ["Request envelope for creating records" 0x8f07_ee3e];
        /// `chain` is a string: the server processes no message with another type, unless it reads a number as a string.
        CHAIN: Must Server Check at CREATIONS values TEXT rejects TYPED ["Request envelope for creating records" 0x8f07_ee3e, "Message record" 0x5aed_1437];
        /// `channel` is a string: the server processes no message with another type, unless it reads a number as a string.
        CHANNEL: Must Server Check at CREATIONS values TEXT rejects TYPED ["Request envelope for creating records" 0x8f07_ee3e, "Message record" 0x9250_511b];
        /// `type` is present and is a string.
        TYPE: Must Server Check at CREATIONS values TYPE rejects ENVELOPE ["Request envelope for creating records" 0x8f07_ee3e, "Message record" 0xa964_0795];
        /// A message of a type that the document does not name is rejected, or keeps its type.
        TYPE_KNOWN: Must Server Check at CREATIONS rejects OPEN_LIST ["Message record" 0xa964_0795];
        /// An endpoint with a fixed message type rejects the other types.
        TYPE_OF_ENDPOINT: Must Server Check at OWN_TYPE rejects OTHER_TYPE ["Endpoints" 0x8a57_f196, "Endpoints" 0xbc1b_a066, "Endpoints" 0xce4f_8ead, "Endpoints" 0xd6e3_080b, "Endpoints" 0x4932_52ba, "Endpoints" 0xadb2_7188, "Endpoints" 0xd00c_b1d5];
        /// `timestamp` is present and is an integer.
        TIMESTAMP: Must Server Check at CREATIONS values TIMESTAMP rejects ENVELOPE ["Request envelope for creating records" 0x8f07_ee3e, "Message record" 0x09bc_6a8f];
        /// `content` is present and is an object.
        CONTENT: Must Server Check at CREATIONS values CONTENT rejects ENVELOPE ["Request envelope for creating records" 0x8f07_ee3e, "Message record" 0x375c_704d];
        /// The response holds `item_hash`, a string that is not empty.
        REPLY_HASH: Must Server Check at MESSAGE_CREATION ["Request envelope for creating records" 0xca53_b92e, "Endpoints" 0x3d42_c78f];
        /// The response holds `status`, and its value is `success`.
        REPLY_STATUS: Must Server Check at MESSAGE_CREATION ["Request envelope for creating records" 0xca53_b92e, "Endpoints" 0x3d42_c78f];
        /// How far a timestamp may be from the server's clock is left open; the simulator rejects the far future and the far past.
        TIMESTAMP_RANGE: Must Server Open("the document gives the type of `timestamp` and no range") at CREATIONS ["Request envelope for creating records" 0x8f07_ee3e];
        /// The maximum size of a message is left open; the simulator has a limit.
        SIZE: Must Server Open("no sentence limits the size of a message") at CORE ["Request envelope for creating records" 0x8f07_ee3e];
    }

    /// The list of messages: `GET /messages`.
    mod listing {
        /// The response holds the array `messages`; its elements are records.
        LISTED: Must Server Check at MESSAGES ["Endpoints" 0x0983_929a, "Endpoints" 0xc3a2_1e8a];
        /// A message that was accepted is listed when `addresses` selects its sender.
        FINDS: Must Server Check at MESSAGES ["Endpoints" 0xc3a2_1e8a];
        /// With `hashes`, the messages with one of these hashes are listed, and no others.
        HASHES: Must Server Check at MESSAGES ["Endpoints" 0xc3a2_1e8a];
        /// With `addresses`, the messages of these addresses are listed, and no others.
        ADDRESSES: Must Server Check at MESSAGES ["Endpoints" 0xc3a2_1e8a];
        /// With `channels`, the messages on one of these channels are listed, and no others.
        CHANNELS: Must Server Check at MESSAGES ["Endpoints" 0xc3a2_1e8a];
        /// With `types`, the messages of one of these types are listed, and no others.
        TYPES: Must Server Check at MESSAGES ["Endpoints" 0xc3a2_1e8a];
        /// Comma-separated values are alternatives: messages that match any of them are listed.
        ANY_OF: Must Server Check at MESSAGES ["Endpoints" 0xc3a2_1e8a];
        /// With several filters, every listed message matches all of them.
        ALL_OF: Must Server Check at MESSAGES ["Endpoints" 0xc3a2_1e8a];
        /// A list shows a message as it was sent, whatever its type, with its confirmations.
        AS_SENT: Must Server Check at MESSAGES keeps CONTENTS ["Endpoints" 0x0983_929a, "Endpoints" 0xc3a2_1e8a, "Message record" 0x5aed_1437, "Message record" 0x09bc_6a8f, "Message record" 0x375c_704d, "Message record" 0xd120_8070, "Message record" 0xd464_4fa1];
        /// `GET /messages` accepts `tags`.
        TAGS: Must Server Check at MESSAGES ["Endpoints" 0xc3a2_1e8a];
        /// `GET /messages` accepts `content.keys`.
        CONTENT_KEYS: Must Server Check at MESSAGES ["Endpoints" 0xc3a2_1e8a];
        /// Where a message holds its tags is left open; the simulator looks in its content.
        TAGS_SELECT: Must Server Open("the message record has no tags, so nothing shows which messages carry one") at MESSAGES ["Endpoints" 0xc3a2_1e8a];
        /// What `content.keys` selects is left open; the simulator lists messages whose content has a value at that path.
        CONTENT_KEYS_SELECT: Must Server Open("the query parameter is only called a JSON path, without what it selects") at MESSAGES ["Endpoints" 0xc3a2_1e8a];
    }

    /// The flat list of messages: `GET /messages.json`.
    mod flat {
        /// The elements are the messages themselves: their fields are at the top level, without a wrapper.
        FLAT: Must Server Check at FLAT ["Endpoints" 0xc99f_f3ad, "Endpoints" 0x0f3d_628a];
        /// A message that was accepted is in the flat list when `addresses` selects its sender.
        FINDS: Must Server Check at FLAT ["Endpoints" 0xc99f_f3ad, "Events" 0x1b53_e5bf];
        /// The flat list shows a message as it was sent, whatever its type, with its confirmations.
        AS_SENT: Must Server Check at FLAT keeps CONTENTS ["Endpoints" 0xc99f_f3ad, "Message record" 0x5aed_1437, "Message record" 0x09bc_6a8f, "Message record" 0x375c_704d, "Message record" 0xd120_8070, "Message record" 0xd464_4fa1];
        /// With `addresses`, the messages of these addresses are listed, and no others.
        ADDRESSES: Must Server Check at FLAT ["Endpoints" 0xc99f_f3ad, "Events" 0x1b53_e5bf];
        /// With `channels`, the messages on one of these channels are listed, and no others.
        CHANNELS: Must Server Check at FLAT ["Endpoints" 0xc99f_f3ad, "Events" 0x1b53_e5bf];
        /// With `content_types`, the messages whose content has one of these types are listed, and no others.
        CONTENT_TYPES: Must Server Check at FLAT ["Endpoints" 0xc99f_f3ad, "Events" 0x1b53_e5bf];
        /// With `startDate` in seconds, later messages are listed, and no older ones.
        START_DATE: Must Server Check at FLAT ["Endpoints" 0xc99f_f3ad, "Events" 0x1b53_e5bf];
        /// With `endDate` in seconds, earlier messages are listed, and no newer ones.
        END_DATE: Must Server Check at FLAT ["Endpoints" 0xc99f_f3ad, "Events" 0x1b53_e5bf];
        /// With several filters, the messages that match all of them are listed, and no others.
        ALL_OF: Must Server Check at FLAT ["Endpoints" 0xc99f_f3ad, "Events" 0x1b53_e5bf];
        /// Whether the dates are inclusive is left open; the simulator includes a message at `startDate` and excludes one at `endDate`.
        EDGES: Must Server Open("the document names the two dates without saying whether they are inclusive") at FLAT ["Endpoints" 0xc99f_f3ad];
    }

    /// Pages of every list.
    mod paging {
        /// A list response holds `pagination` beside its array.
        NAMED: Must Server Check at LISTS ["Endpoints" 0x0983_929a];
        /// `total`, `page`, `per_page` and `total_pages` are integers.
        INTEGERS: Must Server Check at LISTS ["Pagination object" 0x148b_dacf];
        /// Without `limit` a page holds 20 elements.
        DEFAULT_LIMIT: Must Server Check at LISTS ["Endpoints" 0x0983_929a, "Limits" 0x4109_c8a8];
        /// With `limit` a page holds that many elements; the last page may hold fewer.
        LIMIT: Must Server Check at LISTS ["Endpoints" 0x0983_929a, "Limits" 0x4109_c8a8];
        /// A page holds up to 100 elements, and never more, whatever `limit` is.
        MAXIMUM: Must Server Check at LISTS ["Endpoints" 0x0983_929a, "Limits" 0x4109_c8a8];
        /// `per_page` is not less than the number of elements returned.
        PER_PAGE: Must Server Check at LISTS ["Pagination object" 0x148b_dacf];
        /// `page` is the requested page.
        PAGE: Must Server Check at LISTS ["Pagination object" 0x148b_dacf, "Endpoints" 0x0983_929a];
        /// `total` is the number of elements on all pages.
        TOTAL: Must Server Check at LISTS ["Pagination object" 0x148b_dacf];
        /// `total_pages` is the number of pages that are not empty.
        TOTAL_PAGES: Must Server Check at LISTS ["Pagination object" 0x148b_dacf];
        /// Without `page` the server returns the first page.
        FIRST_PAGE: Must Server Check at LISTS ["Endpoints" 0x0983_929a];
        /// Paging through a list returns every element once.
        PAGES: Must Server Check at LISTS ["Endpoints" 0x0983_929a];
        /// Whether a list has an order, and whether it stays the same, is left open; the simulator lists the newest first.
        STABLE: Must Server Open("no sentence gives a list an order, and the nodes behind the address may differ for a moment") at LISTS ["Endpoints" 0x0983_929a];
        /// A page after the last one is empty.
        PAST_END: Must Server Check at LISTS ["Endpoints" 0x0983_929a];
        /// A `page` or `limit` that is zero, negative or not a number returns a list or a documented error, not an internal error.
        ODD_VALUES: Must Server Check at LISTS ["Endpoints" 0x0983_929a, "Errors" 0x53a1_7b62];
    }

    /// Files: `POST /storage/store`, `GET /storage/{hash}` and `GET /storage/raw/{hash}`.
    mod storage {
        /// An upload returns `item_hash` and the status `success`.
        STORED: Must Server Check at UPLOAD ["Endpoints" 0x1b72_a93d, "Request envelope for creating records" 0xca53_b92e];
        /// A file is returned as it was uploaded.
        CONTENT: Must Server Check at FILE ["Endpoints" 0xe984_4fec, "What the service does" 0x94cf_cb2b];
        /// A file is returned with the content type of its upload.
        CONTENT_TYPE: Must Server Check at FILE ["Endpoints" 0xe984_4fec];
        /// The raw file has the bytes that were uploaded.
        RAW: Must Server Check at RAW_FILE ["Endpoints" 0x16d4_b5a3, "Node metrics records" 0xd1e8_f501];
        /// The sender of an upload's message is the form's `address`.
        ADDRESS: Must Server Check at MESSAGE ["Endpoints" 0x1b72_a93d];
        /// The message of an upload is on the form's `channel`.
        CHANNEL: Must Server Check at UPLOAD ["Endpoints" 0x1b72_a93d];
        /// The message of an upload without a channel is on the default channel.
        CHANNEL_DEFAULT: Must Server Check at UPLOAD ["Endpoints" 0x1b72_a93d];
        /// The fields of an upload may come before its file, the file may have no content type, and the node may have its bytes already.
        FORMS: Must Server Check at UPLOAD accepts UPLOADS ["Endpoints" 0x1b72_a93d];
        /// An upload accepts comma-separated `tags`.
        TAGS: Must Server Check at UPLOAD ["Endpoints" 0x1b72_a93d];
        /// The server rejects a body that is not a multipart form.
        MULTIPART: Must Server Check at UPLOAD rejects MALFORMED ["Endpoints" 0x1b72_a93d, "Errors" 0x53a1_7b62];
        /// The server rejects a form without `file`.
        FILE_REQUIRED: Must Server Check at UPLOAD rejects MALFORMED ["Endpoints" 0x1b72_a93d, "Errors" 0x53a1_7b62];
        /// The server rejects a form without `address`.
        ADDRESS_REQUIRED: Must Server Check at UPLOAD rejects MALFORMED ["Endpoints" 0x1b72_a93d, "Errors" 0x53a1_7b62];
        /// A server that verifies signatures rejects a signature over the hash of another file.
        SIGNATURE: Must Server Check at UPLOAD rejects UNSIGNED ["Endpoints" 0x1b72_a93d];
        /// A hash that no file has returns 404.
        UNKNOWN: Must Server Check at FILE rejects NOT_FOUND ["Endpoints" 0xe984_4fec, "Errors" 0x53a1_7b62];
        /// A hash that no file has returns 404 from the raw endpoint.
        UNKNOWN_RAW: Must Server Check at RAW_FILE rejects NOT_FOUND ["Endpoints" 0x16d4_b5a3, "Errors" 0x53a1_7b62];
        /// Which hash is signed, and in which encoding, is left open; the simulator expects a wallet message signature over the file's hexadecimal SHA-256.
        SIGNED_TEXT: Must Client Open("`signature of the file hash` names neither the hash nor its encoding") ["Endpoints" 0x1b72_a93d];
        /// The maximum size of a file is not shown; the simulator has a limit.
        SIZE: Must Server Open("the document says `not shown` for limits of upload size") at UPLOAD ["Limits" 0xb2ea_219a];
    }

    /// Keyed documents of an address.
    mod aggregates {
        /// A create call returns `item_hash` and the status `success`.
        CREATED: Must Server Check at AGGREGATE_CREATION accepts AGGREGATES ["Endpoints" 0x8a57_f196, "Request envelope for creating records" 0xca53_b92e];
        /// The server processes no write whose `key` is missing or not a string, unless it reads a number as a string.
        CREATE_KEY: Must Server Check at AGGREGATE_CREATION values NEEDED rejects TYPED ["Endpoints" 0x8a57_f196, "Aggregate" 0x28a2_ed65];
        /// The server processes no write whose `address` is not a string.
        CREATE_ADDRESS: Must Server Check at AGGREGATE_CREATION values OWNER rejects TYPED ["Endpoints" 0x8a57_f196, "Aggregate" 0x28a2_ed65];
        /// The server processes no write whose `content` is not an object.
        CREATE_CONTENT: Must Server Check at AGGREGATE_CREATION values MEMBERS rejects TYPED ["Endpoints" 0x8a57_f196, "Aggregate" 0x28a2_ed65];
        /// `key` is the requested key.
        KEY: Must Server Check at AGGREGATE ["Aggregate" 0x28a2_ed65, "Endpoints" 0xbd88_112a];
        /// `address` is the owner's address.
        ADDRESS: Must Server Check at AGGREGATE ["Aggregate" 0x28a2_ed65, "Endpoints" 0xbd88_112a];
        /// `content` is the object that was written.
        CONTENT: Must Server Check at AGGREGATE keeps CONTENTS ["Aggregate" 0x28a2_ed65, "Endpoints" 0xbd88_112a];
        /// `time` is an integer, in seconds, and changes with a write alone.
        TIME: Must Server Check at AGGREGATE ["Aggregate" 0x28a2_ed65];
        /// `item_hash` is a string that is not empty.
        ITEM_HASH: Must Server Check at AGGREGATE ["Aggregate" 0x28a2_ed65];
        /// After one write, `item_hash` is the hash of that write.
        NAMES_WRITE: Should Server Check at PROCESSING ["Aggregate" 0x28a2_ed65, "Message record" 0x030c_7a42];
        /// The same key of another address is another aggregate.
        PER_ADDRESS: Must Server Check at AGGREGATE ["What the service does" 0x94cf_cb2b, "Endpoints" 0xbd88_112a];
        /// A later write of the whole object replaces the first.
        REWRITTEN: Must Server Check at REWRITES ["Endpoints" 0x8a57_f196];
        /// A later write of some members keeps the other members or replaces the whole object; the target chooses which.
        PARTIAL: Must Server Check at PROCESSING ["Endpoints" 0x8a57_f196];
        /// An aggregate that was never written returns 404, or has no content.
        UNKNOWN: Must Server Check at AGGREGATE rejects ABSENT ["Endpoints" 0xbd88_112a, "Errors" 0x53a1_7b62];
        /// The list response holds the array `aggregates`.
        LISTED: Must Server Check at AGGREGATES ["Endpoints" 0x0983_929a, "Endpoints" 0xad67_734b];
        /// With `address`, the aggregates of this address are listed, and no others.
        BY_ADDRESS: Must Server Check at AGGREGATES ["Endpoints" 0xad67_734b];
        /// With `key`, the aggregates with this key are listed, and no others.
        BY_KEY: Must Server Check at AGGREGATES ["Endpoints" 0xad67_734b];
        /// With `keys`, the aggregates with one of these keys are listed, and no others.
        BY_KEYS: Must Server Check at AGGREGATES ["Endpoints" 0xad67_734b];
        /// `GET /aggregates` accepts `content.fields`.
        FIELDS: Must Server Check at AGGREGATES ["Endpoints" 0xad67_734b];
        /// `GET /aggregates/{address}.json` returns the aggregates that the address wrote.
        JSON: Must Server Check at AGGREGATES_OF ["Endpoints" 0xc81e_3a98];
        /// With `keys`, `GET /aggregates/{address}.json` returns only aggregates with these keys.
        JSON_KEYS: Must Server Check at AGGREGATES_OF ["Endpoints" 0xc81e_3a98, "Node metrics records" 0xd1e8_f501];
        /// With `limit`, `GET /aggregates/{address}.json` returns at most that many aggregates.
        JSON_LIMIT: Must Server Check at AGGREGATES_OF ["Endpoints" 0xc81e_3a98, "Node metrics records" 0xd1e8_f501];
        /// An address that wrote nothing returns 404, or has no aggregates.
        JSON_UNKNOWN: Must Server Check at AGGREGATES_OF rejects ABSENT ["Endpoints" 0xc81e_3a98, "Errors" 0x53a1_7b62];
        /// A write by a stranger does not change another address's aggregate.
        OWNER: Must Server Check at AGGREGATE_WRITES rejects STRANGER ["Aggregate" 0x28a2_ed65, "Endpoints" 0x8a57_f196];
        /// A signer that the owner's `security` lists writes the aggregates that its authorization names.
        DELEGATE: Must Server Check at AGGREGATE_WRITES ["Signing of stored records" 0x4a8f_83e8, "Signing of stored records" 0xd152_c394];
        /// A listed signer writes nothing beyond its authorization: no other key, channel or type, and not `security`.
        DELEGATE_LIMITS: Must Server Check at AGGREGATE_WRITES rejects BEYOND ["Signing of stored records" 0xd152_c394];
        /// A signer that `security` no longer lists writes nothing.
        DELEGATE_REVOKED: Must Server Check at AGGREGATE_WRITES rejects BEYOND ["Signing of stored records" 0x4a8f_83e8];
    }

    /// Serverless programs.
    mod programs {
        /// A create call returns `item_hash` and the status `success`.
        CREATED: Must Server Check at PROGRAM_CREATION accepts PROGRAMS ["Endpoints" 0xbc1b_a066, "Request envelope for creating records" 0xca53_b92e];
        /// The server processes no program whose `runtime` is not a string, unless it reads a number as a string.
        RUNTIME: Must Server Check at PROGRAM_CREATION values TEXT rejects TYPED ["Endpoints" 0xbc1b_a066];
        /// The server processes no program whose `memory` is not an integer, unless it reads the value as one.
        MEMORY: Must Server Check at PROGRAM_CREATION values COUNT rejects TYPED ["Endpoints" 0xbc1b_a066, "Limits" 0x08c4_7f45];
        /// The server processes no program whose `timeout` is not an integer, unless it reads the value as one.
        TIMEOUT: Must Server Check at PROGRAM_CREATION values COUNT rejects TYPED ["Endpoints" 0xbc1b_a066, "Limits" 0x08c4_7f45];
        /// A program that was accepted can be run by its hash.
        RUN: Must Server Check at RUN accepts RUNS ["Endpoints" 0x72ce_7adb, "What the service does" 0x94cf_cb2b];
        /// The server rejects a run whose `variables` are not an object of strings, unless it reads a number as a string.
        VARIABLES: Must Server Check at RUN values VARIABLES rejects TYPED ["Endpoints" 0x72ce_7adb, "Errors" 0x53a1_7b62];
        /// A program that was never stored returns 404.
        UNKNOWN: Must Server Check at RUN rejects NOT_FOUND ["Endpoints" 0x72ce_7adb, "Errors" 0x53a1_7b62];
        /// What a run returns depends on the program; the simulator runs its own small template language.
        RESULT: Must Server Open("the table says that the response depends on the program") at RUN ["Endpoints" 0x72ce_7adb];
    }

    /// Virtual machine instances.
    mod instances {
        /// A create call returns `item_hash` and the status `success`.
        CREATED: Must Server Check at INSTANCE_CREATION accepts INSTANCES ["Endpoints" 0xce4f_8ead, "Request envelope for creating records" 0xca53_b92e];
        /// A create call returns `instance_id`, and the instance can be read under it.
        CREATED_ID: Must Server Check at INSTANCE_CREATION ["Endpoints" 0xce4f_8ead];
        /// A create call returns `ipv6`: an IPv6 address, or null or empty until one is given.
        CREATED_IPV6: Must Server Check at INSTANCE_CREATION ["Endpoints" 0xce4f_8ead];
        /// The server processes no instance whose `cpu`, `memory` or `disk` is not an integer, unless it reads the value as one.
        CREATE_NUMBERS: Must Server Check at INSTANCE_CREATION values COUNT rejects TYPED ["Endpoints" 0xce4f_8ead];
        /// The server processes no instance, and no update of one, whose `name`, `description`, `image`, `ssh_key` or `instance_id` is not a string, unless it reads a number as a string.
        CREATE_TEXTS: Must Server Check at INSTANCE_CHANGED values LABEL rejects TYPED ["Endpoints" 0xce4f_8ead];
        /// The server processes no instance, and no update of one, whose `allowedPorts` is not an array of integers, unless it reads its elements as integers.
        CREATE_FIREWALL: Must Server Check at INSTANCE_CHANGED values PORTS rejects TYPED ["Endpoints" 0xce4f_8ead];
        /// `instance_id` is the requested one.
        ID: Must Server Check at INSTANCE ["Instance" 0x18ca_5696, "Endpoints" 0xc23e_4f25];
        /// `owner` is the address that created the instance.
        OWNER: Must Server Check at INSTANCE ["Instance" 0x4ada_d0ff];
        /// `name` is the one from the create call.
        NAME: Must Server Check at INSTANCE keeps NAMES ["Instance" 0x6595_f6dc];
        /// `description` is the one from the create call.
        DESCRIPTION: Must Server Check at INSTANCE keeps NAMES ["Instance" 0xd89b_d345];
        /// `cpu` is the integer from the create call.
        CPU: Must Server Check at INSTANCE keeps PROCESSORS ["Instance" 0x03f7_9410];
        /// `memory` is the integer from the create call.
        MEMORY: Must Server Check at INSTANCE keeps SIZES ["Instance" 0x229e_0cbf];
        /// `disk` is the integer from the create call.
        DISK: Must Server Check at INSTANCE keeps SIZES ["Instance" 0x2925_cefb];
        /// `image` is the one from the create call.
        IMAGE: Must Server Check at INSTANCE ["Instance" 0x28dd_6c3f];
        /// `ipv6` is the address that the create call returned, if it returned one.
        IPV6: Must Server Check at INSTANCE ["Instance" 0x2583_630f];
        /// `status` is a string.
        STATUS: Must Server Check at INSTANCE ["Instance" 0x985f_bee1];
        /// `created_at` is an integer, in seconds.
        CREATED_AT: Must Server Check at INSTANCE ["Instance" 0xe930_dadc];
        /// `updated_at` is an integer, in seconds, and not earlier than `created_at` or the last update.
        UPDATED_AT: Must Server Check at INSTANCE ["Instance" 0x4cff_e908];
        /// An instance that was never created returns 404.
        UNKNOWN: Must Server Check at INSTANCE rejects NOT_FOUND ["Endpoints" 0xc23e_4f25, "Errors" 0x53a1_7b62];
        /// The list response holds the array `instances`.
        LISTED: Must Server Check at INSTANCES ["Endpoints" 0x0983_929a, "Endpoints" 0xbfb6_a8ae];
        /// With `address`, the instances of this address are listed, and no others.
        BY_ADDRESS: Must Server Check at INSTANCES ["Endpoints" 0xbfb6_a8ae];
        /// With `status`, the instances with this status are listed, and no others.
        BY_STATUS: Must Server Check at INSTANCES ["Endpoints" 0xbfb6_a8ae];
        /// An update returns `item_hash` and the status `success`.
        UPDATED: Must Server Check at INSTANCE_UPDATE ["Endpoints" 0xd6e3_080b, "Request envelope for creating records" 0xca53_b92e];
        /// After an update the instance has the new name and description, also in lists, and is otherwise as before.
        UPDATE_APPLIES: Must Server Check at INSTANCE_UPDATES ["Endpoints" 0xd6e3_080b, "Endpoints" 0xbfb6_a8ae];
        /// The server rejects an update of an instance that was never created.
        UPDATE_UNKNOWN: Must Server Check at INSTANCE_UPDATE rejects UNKNOWN_INSTANCE ["Endpoints" 0xd6e3_080b, "Errors" 0x53a1_7b62];
        /// Each of `start`, `stop` and `restart` returns `item_hash` and the status `success`, if the status of the instance admits it.
        CONTROLLED: Must Server Check at INSTANCE_CONTROL ["Endpoints" 0x4932_52ba, "Request envelope for creating records" 0xca53_b92e];
        /// The server processes no action other than `start`, `stop` and `restart`, and none whose `instance_id` is not a string.
        ACTION: Must Server Check at INSTANCE_CONTROL values ACTIONS rejects TYPED ["Endpoints" 0x4932_52ba, "Errors" 0x53a1_7b62];
        /// The server rejects an action on an instance that was never created.
        CONTROL_UNKNOWN: Must Server Check at INSTANCE_CONTROL rejects UNKNOWN_INSTANCE ["Endpoints" 0x4932_52ba, "Errors" 0x53a1_7b62];
        /// What happens when the path and the content name two instances is left open; the simulator rejects the request.
        SAME_ID: Must Server Open("the identifier is in the path and in the content, and no sentence compares them") at INSTANCE_CHANGES ["Endpoints" 0xd6e3_080b, "Endpoints" 0x4932_52ba];
        /// What a control action does to the status is not shown; the simulator starts, stops and restarts the instance.
        STATE: Must Server Open("the document says `not shown` for state changes by control actions") at PROCESSING ["States and transitions" 0x0ed7_73cf, "Instance" 0x985f_bee1];
    }

    /// Pinned content.
    mod pins {
        /// A pin returns `item_hash` and the status `success`.
        PINNED: Must Server Check at PIN_CREATION ["Endpoints" 0xadb2_7188, "Request envelope for creating records" 0xca53_b92e];
        /// The server processes no pin whose `hash` is missing or not a string, unless it reads a number as a string.
        HASH_REQUIRED: Must Server Check at PIN_CREATION values NEEDED rejects TYPED ["Endpoints" 0xadb2_7188, "Errors" 0x53a1_7b62];
        /// The server returns pinned content by its hash.
        CONTENT: Must Server Check at PINNED ["Endpoints" 0x2e44_ba25, "What the service does" 0x94cf_cb2b];
        /// The server returns pinned content with its content type.
        CONTENT_TYPE: Must Server Check at PINNED ["Endpoints" 0x2e44_ba25];
        /// Content that the network does not have returns 404.
        UNKNOWN: Must Server Check at PINNED rejects NOT_FOUND ["Endpoints" 0x2e44_ba25, "Errors" 0x53a1_7b62];
    }

    /// Indexed chain data.
    mod indexer {
        /// The list response holds the array `events`.
        EVENTS: Must Server Check at EVENTS ["Endpoints" 0x0983_929a, "Endpoints" 0xe171_da63];
        /// An event has the strings `transaction_hash`, `contract` and `event_name` and the integers `block_number`, `log_index` and `timestamp`.
        EVENT: Must Server Check at EVENTS ["Indexer records" 0x6393_1bfc];
        /// `args` of an event is an object; a large number in it is a string.
        ARGS: Must Server Check at EVENTS ["Indexer records" 0x6393_1bfc];
        /// With `contract`, every event belongs to this contract.
        CONTRACT: Must Server Check at EVENTS ["Endpoints" 0xe171_da63];
        /// With `event_name`, every event has this name.
        EVENT_NAME: Must Server Check at EVENTS ["Endpoints" 0xe171_da63];
        /// With `from_block` and `to_block`, every event is in a block between them.
        EVENT_BLOCKS: Must Server Check at EVENTS ["Endpoints" 0xe171_da63];
        /// With `from_timestamp` and `to_timestamp`, the timestamp of every event is between them.
        EVENT_TIMES: Must Server Check at EVENTS ["Endpoints" 0xe171_da63];
        /// The list response holds the array `transactions`.
        TRANSACTIONS: Must Server Check at TRANSACTIONS ["Endpoints" 0x0983_929a, "Endpoints" 0x873d_934e];
        /// A transaction has the strings `hash`, `from` and `to` and the integers `block_number`, `gas` and `timestamp`.
        TRANSACTION: Must Server Check at TRANSACTIONS ["Indexer records" 0xe0dc_62cc];
        /// `value` and `gas_price` of a transaction are strings.
        AMOUNTS: Must Server Check at TRANSACTIONS ["Indexer records" 0xe0dc_62cc];
        /// With `address`, this address sent or received every transaction.
        ADDRESS: Must Server Check at TRANSACTIONS ["Endpoints" 0x873d_934e];
        /// With `address`, the list holds transactions that it sent and transactions that it received.
        SENT_OR_RECEIVED: Must Server Check at TRANSACTIONS ["Endpoints" 0x873d_934e];
        /// With `from`, this address sent every transaction.
        FROM: Must Server Check at TRANSACTIONS ["Endpoints" 0x873d_934e];
        /// With `to`, this address received every transaction.
        TO: Must Server Check at TRANSACTIONS ["Endpoints" 0x873d_934e];
        /// With `from_block` and `to_block`, every transaction is in a block between them.
        TRANSACTION_BLOCKS: Must Server Check at TRANSACTIONS ["Endpoints" 0x873d_934e];
        /// With `from_timestamp` and `to_timestamp`, the timestamp of every transaction is between them.
        TRANSACTION_TIMES: Must Server Check at TRANSACTIONS ["Endpoints" 0x873d_934e];
        /// With several filters, every element matches all of them.
        ALL_OF: Must Server Check at INDEXER ["Endpoints" 0xe171_da63, "Endpoints" 0x873d_934e];
        /// A block or a timestamp that is not an integer is rejected or ignored; it is not an internal error.
        INTEGERS: Must Server Check at INDEXER rejects BOUND ["Endpoints" 0xe171_da63, "Endpoints" 0x873d_934e, "Errors" 0x53a1_7b62];
        /// A network that is not indexed is rejected, or has no events.
        UNKNOWN_NETWORK: Must Server Check at INDEXER rejects ABSENT ["Endpoints" 0xe171_da63, "Errors" 0x53a1_7b62];
        /// How `args` is written in a query is left open; the simulator reads a JSON object and lists events whose `args` have the same members.
        ARGS_SELECT: Must Server Open("the parameter is an object in a query, and no sentence gives its encoding") at EVENTS ["Endpoints" 0xe171_da63];
    }

    /// Verifiable random numbers.
    mod vrf {
        /// `seed` is the one that was sent.
        SEED: Must Server Check at VRF_GENERATE ["Endpoints" 0x9e99_a2df];
        /// `value` is an integer.
        VALUE: Must Server Check at VRF_GENERATE ["Endpoints" 0x9e99_a2df];
        /// `value` is not less than `min` and not greater than `max`.
        RANGE: Must Server Check at VRF_GENERATE accepts BOUNDS ["Endpoints" 0x9e99_a2df];
        /// Two seeds give two values, if the range is wide.
        DRAWN: Must Server Check at VRF_GENERATE ["What the service does" 0x94cf_cb2b, "Endpoints" 0x9e99_a2df];
        /// `proof` is a string that is not empty.
        PROOF: Must Server Check at VRF_GENERATE ["Endpoints" 0x9e99_a2df];
        /// `POST /vrf/generate` returns `status`, a string.
        GENERATE_STATUS: Must Server Check at VRF_GENERATE ["Endpoints" 0x9e99_a2df];
        /// With a `count` above one, `value` is still one integer.
        COUNT: Must Server Check at VRF_GENERATE ["Endpoints" 0x9e99_a2df];
        /// `POST /vrf/generate` rejects a `seed` that is not a string and a `min`, `max` or `count` that is not an integer, unless it reads the value as one.
        GENERATE_FIELDS: Must Server Check at VRF_GENERATE rejects TYPED ["Endpoints" 0x9e99_a2df, "Errors" 0x53a1_7b62];
        /// The seed, value and proof from one generate call verify as valid.
        VERIFIES: Must Server Check at VRF_VERIFY ["Endpoints" 0x0275_7d28, "What the service does" 0x94cf_cb2b];
        /// `valid` is true or false.
        VALID: Must Server Check at VRF_VERIFY ["Endpoints" 0x0275_7d28];
        /// `POST /vrf/verify` returns `status`, a string.
        VERIFY_STATUS: Must Server Check at VRF_VERIFY ["Endpoints" 0x0275_7d28];
        /// `POST /vrf/verify` does not find a `seed`, `proof` or `value` of another type valid.
        VERIFY_FIELDS: Must Server Check at VRF_VERIFY rejects NOT_VALID ["Endpoints" 0x0275_7d28, "Errors" 0x53a1_7b62];
        /// With another seed, the value and proof are not valid.
        OTHER_SEED: Must Server Check at VRF_VERIFY rejects NOT_VALID ["Endpoints" 0x0275_7d28];
        /// With another value, the seed and proof are not valid.
        OTHER_VALUE: Must Server Check at VRF_VERIFY rejects NOT_VALID ["Endpoints" 0x0275_7d28];
        /// With one character changed, the proof is not valid.
        OTHER_PROOF: Must Server Check at VRF_VERIFY rejects NOT_VALID ["Endpoints" 0x0275_7d28];
        /// What happens when `min` is above `max`, or `count` below one, is left open; the simulator rejects the request.
        BOUNDS: Must Server Open("the body is a list of types, without a relation between them") at VRF_GENERATE ["Endpoints" 0x9e99_a2df];
        /// Whether a seed gives the same value again is left open; in the simulator it does.
        REPEATABLE: Must Server Open("the document does not say that the value is a function of the seed alone") at VRF_GENERATE ["Endpoints" 0x9e99_a2df];
    }

    /// Webhook registrations.
    mod webhooks {
        /// A registration returns `webhook_id`, a string, and the status `success`.
        REGISTERED: Must Server Check at WEBHOOK_CREATION ["Endpoints" 0xd00c_b1d5];
        /// A registration accepts the events `message.new` and `program.executed`.
        EVENT_NAMES: Must Server Check at WEBHOOK_WRITES accepts REGISTRATIONS ["Events" 0xb351_4df0, "Endpoints" 0xd00c_b1d5];
        /// The server processes no registration whose `url` is missing or not a string.
        URL: Must Server Check at WEBHOOK_CREATION values NEEDED rejects TYPED ["Endpoints" 0xd00c_b1d5, "Errors" 0x53a1_7b62];
        /// The server processes no registration whose `events` is not an array of strings, unless it reads a number as a string.
        EVENTS: Must Server Check at WEBHOOK_CREATION values EVENTS rejects TYPED ["Endpoints" 0xd00c_b1d5, "Events" 0xb351_4df0, "Errors" 0x53a1_7b62];
        /// The server processes no registration whose `secret` is not a string, unless it reads a number as a string.
        SECRET: Must Server Check at WEBHOOK_CREATION values TEXT rejects TYPED ["Endpoints" 0xd00c_b1d5, "Events" 0xb351_4df0, "Errors" 0x53a1_7b62];
        /// The server delivers the registered events to the webhook's URL.
        DELIVERED: Must Server NotObservable("payload, signature and repetition of a delivery are not shown; the simulator's own test receives one") ["Events" 0xb351_4df0, "What the service does" 0x94cf_cb2b];
    }

    /// The node itself, its address and its mirrors.
    mod info {
        /// A node's public information is JSON.
        PUBLIC: Must Server Check at INFO ["Endpoints" 0xccc4_f3cc, "What the service does" 0x4d82_7c0c];
        /// The API paths start with `/api/v0`.
        PREFIX: Must Server Check at API ["Endpoints" 0x71a1_f5ca, "Versioning" 0x8dd3_1a78, "What the service does" 0xe59c_6528];
        /// A record written at one address can be read at the others.
        MIRRORS: Must Server Check at READINGS ["What the service does" 0xe59c_6528, "What the service does" 0xa14e_a055, "What the service does" 0x38f4_f085];
    }

    /// Node metrics: the records of a node over the last two weeks.
    mod metrics {
        /// The metrics of a core node are records of that node.
        CORE: Must Server Check at CORE_METRICS ["Endpoints" 0xcd15_7f3f, "What the service does" 0xa609_534f];
        /// The metrics of a compute node are records of that node.
        COMPUTE: Must Server Check at COMPUTE_METRICS ["Endpoints" 0xdbcb_11d3, "What the service does" 0xa609_534f];
        /// The alternative address returns node metrics.
        ALTERNATIVE: Must Server Check at METRICS ["What the service does" 0xa14e_a055];
        /// `measured_at` is a number, in seconds.
        MEASURED_AT: Must Server Check at METRICS ["Node metrics records" 0xe103_3564];
        /// `node_id` is a hexadecimal string.
        NODE_ID: Must Server Check at METRICS ["Node metrics records" 0xe103_3564];
        /// `url` is a string.
        URL: Must Server Check at METRICS ["Node metrics records" 0xe103_3564];
        /// `asn`, if present, is an integer.
        ASN: Must Server Check at METRICS ["Node metrics records" 0xe103_3564];
        /// `as_name`, if present, is a string.
        AS_NAME: Must Server Check at METRICS ["Node metrics records" 0xe103_3564];
        /// `version`, if present, is a string.
        VERSION: Must Server Check at METRICS ["Node metrics records" 0xe103_3564];
        /// `base_latency`, `metrics_latency`, `aggregate_latency` and `file_download_latency`, if present, are numbers that are not negative.
        CORE_LATENCIES: Must Server Check at CORE_METRICS ["Node metrics records" 0x34b9_5b05, "Node metrics records" 0xd1e8_f501];
        /// `txs_total`, `pending_messages` and `eth_height_remaining`, if present, are integers.
        CORE_COUNTS: Must Server Check at CORE_METRICS ["Node metrics records" 0xd1e8_f501];
        /// `base_latency`, `base_latency_ipv4`, `diagnostic_vm_latency`, `full_check_latency` and `diagnostic_vm_ping_latency`, if present, are numbers that are not negative.
        COMPUTE_LATENCIES: Must Server Check at COMPUTE_METRICS ["Node metrics records" 0x34b9_5b05, "Node metrics records" 0x7312_5b92];
        /// `features`, if present, is an array with no values other than `sev` and `sev_es`.
        FEATURES: Must Server Check at COMPUTE_METRICS ["Node metrics records" 0x7312_5b92];
        /// A healthy compute node has `base_latency`, because its probe expects a 401.
        EXPECTED_STATUS: Must Server Check at COMPUTE_METRICS ["Node metrics records" 0x7312_5b92, "Errors" 0x2370_1be2];
        /// Every test of a healthy node leaves its field in the records.
        COMPLETE: Must Server Check at METRICS ["Node metrics records" 0xf99f_ae15, "Node metrics records" 0xd1e8_f501, "Node metrics records" 0x7312_5b92];
        /// A duration is in seconds.
        SECONDS: Must Server Check at METRICS ["Node metrics records" 0x34b9_5b05];
        /// The field of a test that failed is absent.
        FAILED_ABSENT: Must Server Check at METRICS ["Node metrics records" 0xf99f_ae15];
        /// A probe with a failure status leaves its field absent.
        FAILED_STATUS: Must Server Check at METRICS ["Node metrics records" 0x45e1_bffe];
        /// Without IPv6 a diagnostic VM has no `diagnostic_vm_ping_latency`.
        NO_IPV6: Must Server Check at COMPUTE_METRICS ["Node metrics records" 0x7312_5b92];
        /// No record is older than two weeks.
        RETENTION: Must Server Check at METRICS ["Limits" 0x2ece_b5ad, "Endpoints" 0xcd15_7f3f, "Endpoints" 0xdbcb_11d3, "What the service does" 0xa609_534f];
        /// A record is available until it is two weeks old.
        RETAINED: Must Server Check at METRICS ["Limits" 0x2ece_b5ad, "Endpoints" 0xcd15_7f3f, "Endpoints" 0xdbcb_11d3, "What the service does" 0xa609_534f];
        /// A node that does not exist returns 404, or has no records.
        UNKNOWN: Must Server Check at METRICS rejects ABSENT ["Endpoints" 0xcd15_7f3f, "Endpoints" 0xdbcb_11d3, "Errors" 0x53a1_7b62];
        /// Pending counts are low except while a node is syncing; the document does not state which number is low.
        PENDING_LOW: Should Server Open("the sentence says `low` without a number and excepts nodes that are syncing") at METRICS ["Node metrics records" 0x7d28_3ba2];
    }

    /// The measurement program and its messages.
    mod measurement {
        /// Every hour has one measurement message.
        HOURLY: Must Server Check at MEASUREMENT ["Events" 0xe03c_30e7, "Limits" 0x4f32_c1b2, "What the service does" 0xa609_534f];
        /// Measurements are POST messages of the publisher on the scoring channel.
        PUBLISHED: Must Server Check at MEASUREMENT ["Events" 0xe03c_30e7, "Events" 0x28a1_7da4];
        /// At least one of the two named content types finds the measurements.
        CONTENT_TYPE: Must Server Check at MEASUREMENT ["Events" 0xe03c_30e7, "Events" 0x28a1_7da4, "Events" 0x95e8_e093, "Events" 0x1b53_e5bf];
        /// A measurement message holds its results as JSON.
        RESULTS: Must Server Check at MEASUREMENT ["Events" 0xe03c_30e7];
        /// The results of an hour are those that the node metrics API serves.
        AS_SERVED: Must Server Check at MEASUREMENT ["Events" 0xe03c_30e7, "Events" 0x1b53_e5bf, "What the service does" 0xa609_534f];
        /// Every node is probed within the hour, in a random order.
        EVERY_NODE: Must Server NotObservable("nothing outside the network shows which nodes exist and when each was probed; the simulator's journal does") ["Events" 0xe03c_30e7, "What the service does" 0xa609_534f];
    }

    /// What the measurement program probes.
    mod probes {
        /// A compute node returns 401 on `/about/login` without credentials.
        LOGIN: Must Server Check at LOGIN ["Node metrics records" 0x7312_5b92, "Errors" 0x2370_1be2, "Endpoints" 0x1df6_ae73];
        /// A compute node responds for its diagnostic VM.
        VM: Must Server Check at VM ["Node metrics records" 0x7312_5b92, "Endpoints" 0x1df6_ae73];
        /// A compute node responds on its status check.
        STATUS_CHECK: Must Server Check at STATUS_CHECK ["Node metrics records" 0x7312_5b92, "Endpoints" 0x1df6_ae73];
        /// A core node responds on `/metrics.json`.
        METRICS: Must Server Check at NODE_METRICS ["Node metrics records" 0xd1e8_f501];
    }

    /// Reading a STORE message.
    mod store {
        /// `status` of a STORE message is one of the six documented values.
        STATUS: Must Server Check at MESSAGE ["States and transitions" 0x3f80_1f68, "Endpoints" 0x5639_ec0a];
        /// A STORE message with the status `processed` holds `content.item_hash`.
        PROCESSED: Must Server Check at MESSAGE ["Reading the STORE message (recovery rules)" 0x2c05_70ce, "Endpoints" 0x0f3d_628a];
        /// The message of an upload is a STORE.
        TYPE: Must Server Check at MESSAGE ["Reading the STORE message (recovery rules)" 0x9608_3658, "Endpoints" 0x1b72_a93d, "Message record" 0xa964_0795];
        /// A forgotten message returns 200 and the status `forgotten`.
        FORGOTTEN: Must Server Check at MESSAGE ["Reading the STORE message (recovery rules)" 0x4087_1954, "States and transitions" 0xf217_f297];
        /// A forgotten message no longer has `content.item_hash`.
        STRIPPED: Must Server Check at MESSAGE ["Reading the STORE message (recovery rules)" 0x4087_1954];
        /// A forgotten message keeps no member of the content that was sent, in lists either.
        EMPTIED: Should Server Check at RECORDS ["Reading the STORE message (recovery rules)" 0x4087_1954];
        /// Two days after a FORGET the file is no longer available.
        FORGOTTEN_BYTES: Must Server Check at PROCESSING ["States and transitions" 0xf217_f297];
        /// A message whose payer ran out of balance or credits is first `removing`, complete and with its file.
        REMOVING: Must Server Check at REMOVING ["States and transitions" 0x619a_cd3e, "States and transitions" 0x3f80_1f68, "Reading the STORE message (recovery rules)" 0x2c05_70ce];
        /// A message that was reclaimed returns 200 and the status `removed`, with `removed_at`, `size` and `reason`, or 410.
        REMOVED: Must Server Check at MESSAGE ["Reading the STORE message (recovery rules)" 0xd3a1_35d3, "States and transitions" 0x619a_cd3e, "States and transitions" 0x3f80_1f68];
        /// The file of a message that was reclaimed is no longer available.
        REMOVED_BYTES: Must Server Check at REMOVAL ["Reading the STORE message (recovery rules)" 0xd3a1_35d3, "States and transitions" 0x619a_cd3e];
        /// The removal of a message leaves another STORE of the same bytes as it is, with its file.
        REMOVED_ALONE: Must Server Check at REMOVAL ["Reading the STORE message (recovery rules)" 0x2c05_70ce, "States and transitions" 0x619a_cd3e];
        /// A node that lacks the message returns 404.
        LAGGING: Must Server Check at MESSAGE rejects LAGGING ["Reading the STORE message (recovery rules)" 0x9608_3658, "Errors" 0x7e3f_7118];
        /// The content identifier of a live STORE is `message.content.item_hash`.
        READ_LIVE: Must Reader Vector ["Reading the STORE message (recovery rules)" 0x2c05_70ce, "Endpoints" 0x0f3d_628a];
        /// A reader treats `removing` like `processed`.
        READ_REMOVING: Must Reader Vector ["Reading the STORE message (recovery rules)" 0x2c05_70ce, "States and transitions" 0x3f80_1f68];
        /// The status `forgotten` gives no identifier and the warning `STORE_FORGOTTEN`.
        READ_FORGOTTEN: Must Reader Vector ["Reading the STORE message (recovery rules)" 0x4087_1954];
        /// The status `removed` gives no identifier and the warning `STORE_REMOVED`.
        READ_REMOVED: Must Reader Vector ["Reading the STORE message (recovery rules)" 0xd3a1_35d3];
        /// A reader treats a 410 like the status `removed`.
        READ_GONE: Must Reader Vector ["Reading the STORE message (recovery rules)" 0xd3a1_35d3];
        /// A 404 gives no identifier and the warning `STORE_ABSENT`.
        READ_ABSENT: Must Reader Vector ["Reading the STORE message (recovery rules)" 0x9608_3658];
        /// A reader treats a 200 that is not a STORE or has no `content.item_hash` as absent.
        READ_NOT_STORE: Must Reader Vector ["Reading the STORE message (recovery rules)" 0x9608_3658];
        /// `pending` and `rejected` say nothing about the bytes: no identifier, and none of the three warnings.
        READ_UNDECIDED: Must Reader Vector ["Reading the STORE message (recovery rules)" 0x9420_dd01];
        /// A reader classifies by the field `status` before the shape of the response.
        READ_STATUS_FIRST: Must Reader Vector ["Reading the STORE message (recovery rules)" 0x9420_dd01];
        /// How a response other than 200, 404 and 410 is read is left open; the reference takes nothing from it.
        READ_OTHER: Must Reader Open("the recovery rules list their responses, and no other") ["Reading the STORE message (recovery rules)" 0x9420_dd01];
    }

    /// FORGET messages.
    mod forget {
        /// A FORGET whose targets are all valid forgets every one of them.
        APPLIES: Must Server Check at PROCESSING ["Reading the STORE message (recovery rules)" 0xea18_8145, "States and transitions" 0xf217_f297];
        /// A FORGET with an unknown target forgets nothing.
        ALL_OR_NOTHING: Must Server Check at PROCESSING rejects BATCH ["Reading the STORE message (recovery rules)" 0xea18_8145];
        /// A message with the status `removing` is a valid target.
        REMOVING_TARGET: Must Server Check at PROCESSING ["States and transitions" 0x3f80_1f68];
        /// A FORGET with a target that is `removed` forgets nothing.
        REMOVED_FAILS: Must Server Check at PROCESSING rejects BATCH ["Reading the STORE message (recovery rules)" 0xea18_8145];
        /// A FORGET with a target that is `pending` forgets nothing while the target is pending.
        PENDING_FAILS: Must Server Check at PROCESSING rejects BATCH ["Reading the STORE message (recovery rules)" 0xea18_8145];
        /// A FORGET with a target that is `rejected` forgets nothing.
        REJECTED_FAILS: Must Server Check at PROCESSING rejects BATCH ["Reading the STORE message (recovery rules)" 0xea18_8145];
        /// A FORGET that failed is retried, and applies once its targets are valid.
        RETRIED: Must Server Check at PROCESSING ["Reading the STORE message (recovery rules)" 0xea18_8145];
        /// A FORGET that keeps failing is finally rejected.
        FINALLY_REJECTED: Must Server Check at PROCESSING ["Reading the STORE message (recovery rules)" 0xea18_8145];
        /// The server processes no FORGET whose `hashes` is not an array of strings, unless it reads a number as a string.
        HASHES: Must Server Check at MESSAGE_CREATION values HASHES rejects TYPED ["Stored records written by the hosting application" 0x5680_55c7, "Errors" 0x53a1_7b62];
        /// A POST remains readable and listed after the FORGET of the STORE that it names.
        POSTS_REMAIN: Must Server Check at PROCESSING ["Endpoints" 0xc3a2_1e8a, "Reading the STORE message (recovery rules)" 0x60ad_3e6e];
        /// A FORGET leaves another STORE of the same bytes as it is, with its file.
        EQUAL_BYTES: Must Server Check at PROCESSING ["Reading the STORE message (recovery rules)" 0x2c05_70ce, "States and transitions" 0xf217_f297];
        /// The result of a FORGET is left open for another owner's target, a target that is not a STORE, one named twice and one forgotten already; the simulator rejects the first two and ignores the others.
        OWN_TARGETS: Must Server Open("the sentence about targets names unknown, missing, removed, rejected and pending ones only") at PROCESSING ["Reading the STORE message (recovery rules)" 0xea18_8145, "Stored records written by the hosting application" 0x5680_55c7];
    }

    /// Signatures: which bytes are signed, and by which key.
    mod signing {
        /// Digests are Keccak-256 with its original padding, not SHA3-256.
        KECCAK: Must Record Vector ["Signing of stored records" 0x4588_c5e2];
        /// A signed message is hashed after the byte 0x19, the personal message text, a newline and the message's length.
        PREFIX: Must Record Vector ["Signing of stored records" 0x4588_c5e2, "Signing of stored records" 0xef7f_2ed3, "General request signing" 0xeb7d_9aab];
        /// The length in the prefix is the number of bytes, in decimal.
        LENGTH: Must Record Vector ["Signing of stored records" 0x4588_c5e2, "Deriving E" 0x4827_cf17];
        /// A signature is written as 0x and hexadecimal digits; the 0x may be missing.
        SIGNATURE_TEXT: Must Record Vector rule "signature.text" ["Signing of stored records" 0x4588_c5e2, "General request signing" 0xeb7d_9aab];
        /// A signature has 65 bytes: r, s and v.
        SIGNATURE_LENGTH: Must Record Vector rule "signature.length" ["Signing of stored records" 0x4588_c5e2, "General request signing" 0xeb7d_9aab];
        /// v is 27 or 28; readers treat 0 and 1 the same way.
        SIGNATURE_V: Must Record Vector rule "signature.v" ["Signing of stored records" 0x4588_c5e2, "General request signing" 0xeb7d_9aab];
        /// r and s are nonzero scalars of the curve, and a public key can be recovered from them.
        SIGNATURE_SCALARS: Must Record Vector rule "signature.scalars" ["Signing of stored records" 0x4588_c5e2, "General request signing" 0xeb7d_9aab];
        /// Whether the higher of the two values of s is accepted is left open; it is never written.
        LOW_S: Must Record Open("the document names the signature scheme, whose common implementations accept both values") rule "signature.low-s" ["Signing of stored records" 0x4588_c5e2];
        /// The recovered key is the key of the stated signer.
        SIGNER: Must Record Vector rule "signature.signer" ["Signing of stored records" 0xef7f_2ed3, "General request signing" 0xeb7d_9aab, "Message record" 0xd120_8070];
        /// An address is the last 20 bytes of the Keccak-256 of the uncompressed public key without its first byte.
        ADDRESS: Must Record Vector ["Primitives" 0x2aab_6cb4];
        /// A public key is 0x04 and 128 hexadecimal digits, and is a point on the curve.
        PUBLIC_KEY: Must Record Vector rule "address.public-key" ["Primitives" 0x2aab_6cb4];
        /// A private key is 32 bytes, and is a nonzero scalar of the curve.
        SECRET_KEY: Must Record Vector rule "secret-key.form" ["General request signing" 0xeb7d_9aab];
        /// The message of a signed request is a JSON object.
        REQUEST_FORM: Must Record Vector rule "request.form" ["General request signing" 0xeb7d_9aab];
        /// A signed request holds its timestamp as an integer.
        REQUEST_TIMESTAMP: Must Record Vector rule "request.timestamp" ["General request signing" 0xeb7d_9aab];
        /// A signed request holds a nonce, a string that is not empty.
        REQUEST_NONCE: Must Record Vector rule "request.nonce" ["General request signing" 0xeb7d_9aab];
        /// The signature of a request covers its serialized text, byte for byte.
        REQUEST_TEXT: Must Record Vector ["General request signing" 0xeb7d_9aab];
        /// A record is a JSON object of `type`, `channel` and `content`; its content holds `address`, `content` (in a FORGET: `hashes`) and `time`.
        RECORD_FORM: Must Record Vector rule "canonical.form" ["Signing of stored records" 0x241b_c8ec];
        /// The members of the canonical JSON are in the documented order, whatever the received order.
        RECORD_ORDER: Must Record Vector ["Signing of stored records" 0x241b_c8ec];
        /// No other member of the message or of its content is part of the canonical JSON.
        RECORD_MEMBERS: Must Record Vector ["Signing of stored records" 0x241b_c8ec];
        /// `key`, `type` and `ref` are in the canonical JSON only if present.
        RECORD_OPTIONAL: Must Record Vector ["Signing of stored records" 0x241b_c8ec];
        /// Below its documented levels the canonical JSON keeps the received order.
        RECORD_NESTED: Must Record Vector ["Signing of stored records" 0x241b_c8ec];
        /// The canonical JSON has no white space between tokens, and non-ASCII characters are not escaped.
        RECORD_COMPACT: Must Record Vector ["Signing of stored records" 0x241b_c8ec];
        /// The signature covers the 32 bytes of the canonical JSON's Keccak-256, not their hexadecimal form.
        RECORD_DIGEST: Must Record Vector ["Signing of stored records" 0x4588_c5e2];
        /// The meaning of a duplicate key is left open; such a record is not read.
        RECORD_DUPLICATES: Must Record Open("JSON itself leaves duplicate keys open, and the document does not mention them") rule "canonical.duplicate" ["Signing of stored records" 0x241b_c8ec];
        /// How integers beyond 2^53 and fractions below 0.0001 are written is left open; a record with one is not read.
        RECORD_NUMBERS: Must Record Open("common serializers write such numbers differently, and the document does not choose one") rule "canonical.number" ["Signing of stored records" 0x241b_c8ec];
        /// The server accepts a message signed by the general procedure.
        GENERAL_TAKEN: Must Server Check at CREATIONS ["General request signing" 0xeb7d_9aab];
        /// The server accepts an aggregate signed over its canonical JSON.
        RECORD_TAKEN: Must Server Check at AGGREGATE_WRITES ["Signing of stored records" 0x241b_c8ec, "Signing of stored records" 0x4588_c5e2];
        /// A server that verifies signatures rejects a message signed by another key.
        VERIFIED: Must Server Check at CREATIONS rejects UNSIGNED ["General request signing" 0xcc14_ff51, "General request signing" 0xeb7d_9aab, "Message record" 0xd120_8070];
    }

    /// Error responses.
    mod errors {
        /// An error response is JSON with `error` (string), `status` (`error`) and `code` (string).
        BODY: Must Server Check at CORE rejects MALFORMED ["Errors" 0x54f4_fdb6];
        /// A JSON response has a JSON media type.
        MEDIA_TYPE: Should Server Check ["Errors" 0x54f4_fdb6];
        /// A malformed request returns 400.
        BAD_REQUEST: Must Server Check at FLAT rejects BAD_REQUEST ["Errors" 0x53a1_7b62];
        /// An invalid request gets a response that is not an internal error.
        NO_INTERNAL: Must Server Check at MESSAGE ["Errors" 0x53a1_7b62];
        /// A rejected create call stores nothing.
        NOTHING_STORED: Must Server Check at CREATIONS rejects MALFORMED ["Errors" 0x53a1_7b62, "Request envelope for creating records" 0xca53_b92e];
        /// When the server returns 401 is not shown; the simulator does so when a signature is missing.
        UNAUTHORIZED: Must Server Open("the list of statuses gives 401 a name and no cause") at AUTHENTICATED ["Errors" 0x53a1_7b62];
        /// When the server returns 403 is not shown; the simulator does so when another key made the signature.
        FORBIDDEN: Must Server Open("the list of statuses gives 403 a name and no cause") at AUTHENTICATED ["Errors" 0x53a1_7b62];
        /// The server returns 500 for its own failures.
        INTERNAL: Must Server Check at CORE rejects INTERNAL ["Errors" 0x53a1_7b62];
    }

    /// Rate limits.
    mod limits {
        /// General endpoints allow 100 requests per minute per IP address, and return 429 to more.
        GENERAL: Must Server Check at GENERAL rejects RATE ["Limits" 0xde30_ca1b, "Limits" 0x2ad6_6651];
        /// The endpoints that a target declares as authenticated allow 300 requests per minute per IP address, and return 429 to more.
        AUTHENTICATED: Must Server Check at MESSAGE_CREATION rejects RATE ["Limits" 0xc5ee_0f38, "Limits" 0x2ad6_6651];
        /// Program execution allows 10 runs per minute per IP address, and returns 429 to more.
        HEAVY: Must Server Check at RUN rejects RATE ["Limits" 0x0ac5_e68b, "Limits" 0x2ad6_6651];
        /// A 429 has the header `Retry-After`, in whole seconds.
        RETRY_AFTER: Must Server Check at CORE ["Errors" 0x53a1_7b62, "Limits" 0x2ad6_6651];
        /// `Retry-After` is at most 60 seconds: the window of the limits is a minute.
        RETRY_AFTER_WINDOW: Should Server Check ["Errors" 0x53a1_7b62, "Limits" 0x2ad6_6651];
        /// After a minute without requests, a client may send requests again.
        MINUTE_PASSES: Must Server Check at RATED ["Limits" 0xde30_ca1b, "Limits" 0xc5ee_0f38, "Limits" 0x0ac5_e68b];
        /// Requests of one IP address do not count for another.
        PER_ADDRESS: Must Server Check at RATED ["Limits" 0xde30_ca1b, "Limits" 0xc5ee_0f38, "Limits" 0x0ac5_e68b];
        /// An IP address that has reached the limit of one class may send requests of a class with a higher limit.
        CLASSES: Must Server Check at BELOW ["Limits" 0xde30_ca1b, "Limits" 0xc5ee_0f38, "Limits" 0x0ac5_e68b];
    }

    /// What a program that uses a node does.
    mod client {
        /// A creating call has the envelope, and its signature is the sender's.
        SIGNS: Must Client Client ["Request envelope for creating records" 0x8f07_ee3e, "General request signing" 0xeb7d_9aab];
        /// An upload is a multipart form with the file, the address and a signature.
        UPLOADS: Must Client Client ["Endpoints" 0x1b72_a93d];
        /// What a call creates is created once, also if its response is late, lost, or a 500.
        ONCE: Should Client Client ["Errors" 0x53a1_7b62, "Request envelope for creating records" 0xca53_b92e];
        /// The result of a creating call is the `item_hash` of its response, however late it comes.
        RESULT: Should Client Client ["Request envelope for creating records" 0xca53_b92e, "Endpoints" 0x3d42_c78f];
        /// A call that returned 400 is not sent again unchanged.
        REJECTED: Should Client Client ["Errors" 0x53a1_7b62];
        /// After a 429, the next request waits as long as `Retry-After` says.
        RETRY_AFTER: Should Client Client ["Errors" 0x53a1_7b62, "Limits" 0x2ad6_6651];
        /// A node that fails is not sent request after request.
        RETRIES_LATER: Should Client Client ["Errors" 0x53a1_7b62];
        /// A list is read page by page to its end.
        PAGES: Must Client Client ["Endpoints" 0x0983_929a, "Limits" 0x4109_c8a8];
        /// A message that one node lacks is asked of another node.
        OTHER_NODE: Must Client Client ["Reading the STORE message (recovery rules)" 0x9608_3658];
    }

    /// The other services of the network, as far as they are shown.
    mod neighbours {
        /// The scheduler's paths are named but its responses are not shown; the simulator returns a plan, an allocation and the nodes.
        SCHEDULER: Must Server Open("the document says `not shown` for requests and responses of the scheduler") ["What the service does" 0x70ce_42f2, "Endpoints" 0xbddf_6ed0];
        /// The status service's path is named but its response is not shown; the simulator returns the health of its services.
        STATUS: Must Server Open("the document says `not shown` for the response of the status service") ["What the service does" 0x8166_82f8, "Endpoints" 0xbddf_6ed0];
        /// The credit service's paths are named but its responses are not shown; the simulator returns pages of purchases and an estimate.
        CREDIT: Must Server Open("the document says `not shown` for requests and responses of the credit service") ["What the service does" 0x4561_8a89, "Endpoints" 0xbddf_6ed0];
    }
}
