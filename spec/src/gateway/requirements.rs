//! Every statement of document 1 about the inference gateway, one row each.

crate::requirements! {
    service Gateway;

    /// The key and its check: `GET /svc/auth/check`.
    mod auth {
        /// The key check returns 200 for a valid key.
        KEY_CHECK: Must Server Check at KEY_CHECK ["Inference gateway (paths under {base_url})" 0x8f58_59ee, "Authentication" 0x55b7_4e5a, "Versioning" 0x18ff_40a5];
        /// The key check returns 401 for an invalid key.
        KEY_CHECK_INVALID: Must Server Check at KEY_CHECK values KEYS rejects INVALID_KEY ["Inference gateway (paths under {base_url})" 0x8f58_59ee, "Authentication" 0x3741_f6ca, "Errors" 0xa7a5_b4e0];
        /// The key check returns 401 without a key.
        KEY_CHECK_MISSING: Must Server Check at KEY_CHECK rejects NO_KEY ["Inference gateway (paths under {base_url})" 0x8f58_59ee, "Authentication" 0x3741_f6ca, "Errors" 0xa7a5_b4e0];
        /// The key check returns 401 for a key that is no longer valid.
        KEY_CHECK_REVOKED: Must Server Check at KEY_CHECK rejects INVALID_KEY ["Inference gateway (paths under {base_url})" 0x8f58_59ee, "Authentication" 0x3741_f6ca];
        /// The key check spends no tokens of the key.
        KEY_CHECK_FREE: Must Server Check at KEY_CHECK ["Inference gateway (paths under {base_url})" 0x8f58_59ee];
        /// A chat request with an invalid key returns 401.
        INVALID_KEY_CHAT: Must Server Check at CHAT values KEYS rejects INVALID_KEY ["Authentication" 0x55b7_4e5a, "Authentication" 0x3741_f6ca, "Errors" 0xa7a5_b4e0];
        /// A completions request with an invalid key returns 401.
        INVALID_KEY_COMPLETIONS: Must Server Check at COMPLETIONS values KEYS rejects INVALID_KEY ["Authentication" 0x55b7_4e5a, "Authentication" 0x3741_f6ca, "Errors" 0xa7a5_b4e0];
        /// A native-style completions request with an invalid key returns 401.
        INVALID_KEY_NATIVE: Must Server Check at NATIVE values KEYS rejects INVALID_KEY ["Authentication" 0x55b7_4e5a, "Authentication" 0x3741_f6ca, "Errors" 0xa7a5_b4e0];
        /// A responses request with an invalid key returns 401.
        INVALID_KEY_RESPONSES: Must Server Check at RESPONSES values KEYS rejects INVALID_KEY ["Authentication" 0x55b7_4e5a, "Authentication" 0x3741_f6ca, "Errors" 0xa7a5_b4e0];
        /// A messages request with an invalid key returns 401.
        INVALID_KEY_MESSAGES: Must Server Check at MESSAGES values KEYS rejects INVALID_KEY ["Authentication" 0x55b7_4e5a, "Authentication" 0x3741_f6ca, "Errors" 0xa7a5_b4e0];
        /// An inference request without a key returns 401, or 402 if the payment flow is on.
        MISSING_KEY: Must Server Check at INFERENCE rejects MISSING_KEY ["Authentication" 0x3741_f6ca, "Authentication" 0xd11c_b479, "Errors" 0xa7a5_b4e0];
        /// The server rejects an inference request with a key that is no longer valid.
        REVOKED_KEY: Must Server Check at INFERENCE rejects INVALID_KEY ["Authentication" 0x3741_f6ca, "Errors" 0xa7a5_b4e0];
        /// Whether a key is accepted in another header or after another scheme is left open; the simulator also accepts
        /// it in the header of the messages format.
        OTHER_HEADERS: May Server Open("the document describes one header and does not forbid another") ["Authentication" 0x55b7_4e5a];
        /// The bodies of the key check are left open; the simulator returns JSON.
        KEY_CHECK_BODY: May Server Open("the table gives only the two statuses of the key check") ["Inference gateway (paths under {base_url})" 0x8f58_59ee];
    }

    /// `POST /v1/chat/completions`.
    mod chat {
        /// A chat request with a string `content` returns 200 and a JSON object.
        ANSWERED: Must Server Check at CHAT_WHOLE ["Inference gateway (paths under {base_url})" 0xf2ea_6536, "Chat request body (`POST /v1/chat/completions`)" 0xc6c3_95f4, "Inference gateway" 0x4594_0948, "Versioning" 0x18ff_40a5];
        /// The response has `choices`, a non-empty array; each choice has an object `message`.
        CHOICES: Must Server Check at CHAT_WHOLE ["Chat request body (`POST /v1/chat/completions`)" 0xc0ce_e52b, "Inference gateway (paths under {base_url})" 0xf2ea_6536, "Inference gateway" 0x4594_0948];
        /// If the target keeps the full wire format, `message.content` of a text answer is a non-empty string.
        ANSWER_TEXT: Must Server Check at CHAT_WHOLE ["Inference gateway" 0x4594_0948];
        /// The server accepts what common client libraries send: options that the document does not name, long prompts, letters beyond
        /// ASCII.
        ORDINARY: Must Server Check at CHAT accepts CHATS ["Inference gateway" 0x4594_0948, "Chat request body (`POST /v1/chat/completions`)" 0xeb9e_5296];
        /// The server accepts an array of text parts as `content`.
        PARTS: Must Server Check at CHAT accepts PARTS ["Chat request body (`POST /v1/chat/completions`)" 0xc6c3_95f4, "Chat request body (`POST /v1/chat/completions`)" 0xd29c_2789];
        /// The server accepts an image part with a data URL of base64 image data.
        IMAGE: Must Server Check at CHAT accepts IMAGES ["Chat request body (`POST /v1/chat/completions`)" 0x32fe_0984, "Chat request body (`POST /v1/chat/completions`)" 0xc6c3_95f4, "Inference gateway" 0xaf8d_4826];
        /// The server rejects a body that is not a JSON object.
        BODY: Must Server Check at CHAT_WHOLE rule "chat.body" rejects VALIDATION ["Inference gateway (paths under {base_url})" 0xf2ea_6536, "Errors" 0x1d28_2805];
        /// The server rejects a chat request whose `model` is missing or not a string.
        MODEL: Must Server Check at CHAT values REQUIRED_TEXT rule "chat.model" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0xe467_001b, "Inference gateway" 0x1806_2630, "Errors" 0x1d28_2805];
        /// The server rejects a chat request whose `messages` is missing or not an array.
        MESSAGES: Must Server Check at CHAT values REQUIRED_LIST rule "chat.messages" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0xeb9e_5296, "Errors" 0x1d28_2805];
        /// The server rejects a message that is not an object.
        MESSAGE: Must Server Check at CHAT values OBJECTS rule "chat.message" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0xeb9e_5296, "Errors" 0x1d28_2805];
        /// `role` of a message is a string.
        ROLE: Must Server Check at CHAT values TEXT rule "chat.role" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0x1f5a_3d81, "Errors" 0x1d28_2805];
        /// `content` of a message is a string or an array.
        CONTENT: Must Server Check at CHAT values CONTENT rule "chat.content" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0xc6c3_95f4, "Errors" 0x1d28_2805];
        /// The server rejects a content part that is not an object.
        PART: Must Server Check at CHAT values OBJECTS rule "chat.part" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0xc6c3_95f4, "Errors" 0x1d28_2805];
        /// `type` of a content part is a string.
        PART_TYPE: Must Server Check at CHAT values TEXT rule "chat.part-type" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0xd29c_2789, "Chat request body (`POST /v1/chat/completions`)" 0x32fe_0984, "Errors" 0x1d28_2805];
        /// `text` of a text part is a string.
        PART_TEXT: Must Server Check at CHAT values TEXT rule "chat.part-text" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0xd29c_2789, "Errors" 0x1d28_2805];
        /// `image_url` of an image part is an object.
        PART_IMAGE: Must Server Check at CHAT values OBJECTS rule "chat.part-image" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0x32fe_0984, "Errors" 0x1d28_2805];
        /// `url` of an image part is a string.
        PART_IMAGE_URL: Must Server Check at CHAT values TEXT rule "chat.part-image-url" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0x32fe_0984, "Errors" 0x1d28_2805];
        /// `tool_call_id` of a tool message is a string.
        TOOL_CALL_ID: Must Server Check at CHAT values TEXT rule "chat.tool-call-id" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0x7558_dbe7, "Errors" 0x1d28_2805];
        /// `stream` is a boolean.
        STREAM: Must Server Check at CHAT_WHOLE values SWITCH rule "chat.stream" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0xa5b7_a47f, "Errors" 0x1d28_2805];
        /// Which roles exist besides `user` and `tool` is left open; the simulator accepts those of the wire format.
        ROLE_KNOWN: May Server Open("the table says `values used`, and a tool conversation needs a role that it does not list") rule "chat.role-known" ["Chat request body (`POST /v1/chat/completions`)" 0x1f5a_3d81];
        /// Which members of a message may be missing is left open; the simulator requires a role, a content (except for
        /// an assistant's tool calls) and, in a tool message, the id of the call.
        MESSAGE_COMPLETE: May Server Open("the table of messages has no column that says what is required") rule "chat.message-complete" ["Chat request body (`POST /v1/chat/completions`)" 0x1f5a_3d81, "Chat request body (`POST /v1/chat/completions`)" 0xc6c3_95f4, "Chat request body (`POST /v1/chat/completions`)" 0x7558_dbe7];
        /// Whether a conversation may be empty is left open; the simulator rejects it.
        NOT_EMPTY: May Server Open("`messages` is required, but no sentence gives it a minimum length") rule "chat.not-empty" ["Chat request body (`POST /v1/chat/completions`)" 0xeb9e_5296];
        /// Which image URLs are accepted besides base64 data URLs is left open; the simulator accepts http and https
        /// URLs, does not fetch them, and rejects the rest.
        IMAGE_DATA: May Server Open("the document says that data URLs are accepted, not that other URLs are rejected") rule "chat.image-data" ["Chat request body (`POST /v1/chat/completions`)" 0x32fe_0984];
        /// Members that the documents do not name are left open; the simulator reads those it knows and ignores the
        /// rest.
        FURTHER_MEMBERS: May Server Open("the wire format has more members than the document lists, so a server may read or ignore them") ["Inference gateway" 0x4594_0948, "Inference gateway" 0xedb4_bc84];
        /// Members of the response besides the listed ones are left open; the simulator writes those of the wire
        /// format.
        REPLY_FURTHER: May Server Open("the document says `not shown` for members beyond those it lists") ["Messages-format request body (`POST /v1/messages`)" 0x223d_283a];
    }

    /// `POST /v1/chat/completions` with `stream`.
    mod stream {
        /// With `stream` true the response is 200 and an event stream.
        EVENT_STREAM: Must Server Check at CHAT_STREAM ["Inference gateway (paths under {base_url})" 0xf2ea_6536, "Chat request body (`POST /v1/chat/completions`)" 0xa5b7_a47f, "Events" 0xecb0_8d5f, "Inference gateway" 0xaf8d_4826];
        /// A stream is UTF-8, and the data of each event, except the end mark, is one JSON object with an array `choices`.
        CHUNKS: Must Server Check at CHAT_STREAM rule "stream.chunks" ["Events" 0xecb0_8d5f, "Chat request body (`POST /v1/chat/completions`)" 0xcf21_d7fc];
        /// `delta.content` of a chunk is a string, if present.
        DELTA: Must Server Check at CHAT_STREAM rule "stream.delta" ["Chat request body (`POST /v1/chat/completions`)" 0xcf21_d7fc];
        /// The increments of a text answer form a non-empty string, and none repeats those before it.
        TEXT: Must Server Check at CHAT_STREAM ["Chat request body (`POST /v1/chat/completions`)" 0xcf21_d7fc, "Events" 0xecb0_8d5f];
        /// Without `stream`, or with `stream` false, the response is one JSON object, not an event stream.
        NOT_ASKED_FOR: Must Server Check at CHAT_WHOLE ["Chat request body (`POST /v1/chat/completions`)" 0xa5b7_a47f, "Inference gateway (paths under {base_url})" 0xf2ea_6536];
        /// An error before the stream starts returns its status and a JSON error, not an event stream.
        ERROR_BEFORE: Must Server Check at CHAT_STREAM rejects BEFORE_STREAM ["Inference gateway (paths under {base_url})" 0xf2ea_6536, "Errors" 0x8006_efde];
        /// A stream that fails midway sends an error event and does not end like a complete one.
        ERROR_EVENT: Must Server Check at CHAT_STREAM ["Events" 0xff72_a7b2];
        /// The shape of the error event is left open; the simulator writes an object `error`.
        ERROR_SHAPE: May Server Open("the document says `not shown` for the shape of the error event") ["Events" 0xae54_9988];
        /// End mark, comments, further fields and the last chunk are left open; the simulator varies them.
        FURNITURE: May Server Open("`the standard streaming format` names neither an end mark nor the fields around the data") ["Events" 0xecb0_8d5f, "Messages-format request body (`POST /v1/messages`)" 0x223d_283a];
        /// Whether the other endpoints stream is left open; the simulator streams where their wire formats do.
        ELSEWHERE: May Server Open("the document describes `stream` for the chat endpoint alone") ["Events" 0xecb0_8d5f, "Messages-format request body (`POST /v1/messages`)" 0x223d_283a];
    }

    /// Tools: their declaration, the call, and its result.
    mod tools {
        /// A model that is flagged for tool calls accepts a request that declares tools.
        TAKEN: Must Server Check at CHAT ["Chat request body (`POST /v1/chat/completions`)" 0x5373_83ee, "Chat request body (`POST /v1/chat/completions`)" 0x69c1_90cb, "Inference gateway" 0x22b6_3532, "Inference gateway" 0xaf8d_4826];
        /// `function.name` of a tool call is a string.
        CALL_NAME: Must Server Check at CHAT_WHOLE ["Chat request body (`POST /v1/chat/completions`)" 0xc0ce_e52b];
        /// `function.arguments` of a tool call is a string.
        CALL_ARGUMENTS: Must Server Check at CHAT_WHOLE ["Chat request body (`POST /v1/chat/completions`)" 0xc0ce_e52b];
        /// If the target keeps the full wire format, a tool call has an `id`, a non-empty string.
        CALL_ID: Must Server Check at CHAT_WHOLE ["Chat request body (`POST /v1/chat/completions`)" 0x7558_dbe7];
        /// If the target keeps the full wire format, the tool calls of a conversation have different ids.
        CALL_IDS: Must Server Check at CHAT_WHOLE ["Chat request body (`POST /v1/chat/completions`)" 0x7558_dbe7];
        /// If the target keeps the full wire format, the pieces of a streamed tool call together have one `id` of its own, its name
        /// and its arguments.
        STREAMED: Must Server Check at CHAT_STREAM rule "stream.calls" ["Chat request body (`POST /v1/chat/completions`)" 0xc0ce_e52b, "Inference gateway" 0xaf8d_4826];
        /// The server accepts a follow-up request with a message of role `tool`, the id of the call and its content.
        ROUND_TRIP: Must Server Check at CHAT ["Chat request body (`POST /v1/chat/completions`)" 0x588a_f6a7, "Chat request body (`POST /v1/chat/completions`)" 0x1f5a_3d81, "Chat request body (`POST /v1/chat/completions`)" 0x7558_dbe7];
        /// `tools` is an array.
        TOOLS: Must Server Check at CHAT values LIST rule "tools.tools" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0x5373_83ee, "Errors" 0x1d28_2805];
        /// Each tool is an object.
        TOOL: Must Server Check at CHAT values OBJECTS rule "tools.tool" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0x69c1_90cb, "Errors" 0x1d28_2805];
        /// `type` of a tool is a string.
        TYPE: Must Server Check at CHAT values TEXT rule "tools.type" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0x69c1_90cb, "Errors" 0x1d28_2805];
        /// `function` of a tool is an object.
        FUNCTION: Must Server Check at CHAT values OBJECTS rule "tools.function" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0x69c1_90cb, "Errors" 0x1d28_2805];
        /// The server rejects a function whose `name` is not a string.
        NAME: Must Server Check at CHAT values TEXT rule "tools.name" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0x69c1_90cb, "Errors" 0x1d28_2805];
        /// `description` of a function is a string.
        DESCRIPTION: Must Server Check at CHAT values TEXT rule "tools.description" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0x69c1_90cb, "Errors" 0x1d28_2805];
        /// `parameters` of a function is an object.
        PARAMETERS: Must Server Check at CHAT values OBJECTS rule "tools.parameters" rejects VALIDATION ["Chat request body (`POST /v1/chat/completions`)" 0x69c1_90cb, "Errors" 0x1d28_2805];
        /// The content of a schema is left open; the simulator accepts any object.
        SCHEMA: May Server Open("the document names three members of a schema and gives no rule for their values") ["Chat request body (`POST /v1/chat/completions`)" 0x69c1_90cb];
        /// The arguments of a model that always calls are JSON that fits the schema of a declared tool.
        ARGUMENTS_FIT: Should Server Check at CHAT_WHOLE ["Chat request body (`POST /v1/chat/completions`)" 0xc0ce_e52b, "Chat request body (`POST /v1/chat/completions`)" 0x69c1_90cb];
        /// The arguments of a streamed call of a model that always calls fit the schema of the tool.
        STREAMED_FIT: Should Server Check at CHAT_STREAM ["Chat request body (`POST /v1/chat/completions`)" 0xc0ce_e52b, "Chat request body (`POST /v1/chat/completions`)" 0x69c1_90cb];
        /// The answer of a model that always calls contains the result of the tool.
        RESULT_USED: Should Server Check at CHAT ["Chat request body (`POST /v1/chat/completions`)" 0x588a_f6a7, "Chat request body (`POST /v1/chat/completions`)" 0xcf21_d7fc];
        /// Tools for a model without the flag, and where the flag is shown, are left open; the simulator ignores them.
        UNFLAGGED: May Server Open("no field shows the flag, and no sentence says what happens without it") ["Chat request body (`POST /v1/chat/completions`)" 0x5373_83ee, "Inference gateway" 0x22b6_3532];
        /// Which members of a declaration may be missing is left open; the simulator accepts a function without
        /// description and parameters.
        DECLARATION_COMPLETE: May Server Open("the document lists the members of a function without saying which are required") ["Chat request body (`POST /v1/chat/completions`)" 0x69c1_90cb];
    }

    /// `POST /v1/completions` and `POST /completions`.
    mod completions {
        /// A completions request returns 200 and a JSON object.
        COMPLETION: Must Server Check at COMPLETIONS ["Inference gateway (paths under {base_url})" 0xc93e_60dd, "Inference gateway" 0x6f2e_7d00, "Versioning" 0x18ff_40a5];
        /// A native-style completions request returns 200 and a JSON object.
        NATIVE: Must Server Check at NATIVE ["Inference gateway (paths under {base_url})" 0x2a86_6011];
        /// A completions request for an unknown model returns 404.
        UNKNOWN_MODEL: Must Server Check at BOTH_COMPLETIONS values MODELS rejects UNKNOWN_MODEL ["Errors" 0xcc2c_0ab3, "Inference gateway (paths under {base_url})" 0xc93e_60dd];
        /// The request bodies are not shown; the simulator requires a model and a prompt of the wire format.
        BODY: May Server Open("the document says `not shown` for this request body") rule "completions.body" ["Inference gateway (paths under {base_url})" 0x5333_5397];
        /// The response bodies are not shown; the simulator writes those of the wire format.
        REPLY: May Server Open("the document says `not shown` for this response body") ["Inference gateway (paths under {base_url})" 0x5333_5397, "Messages-format request body (`POST /v1/messages`)" 0x223d_283a];
    }

    /// `POST /v1/responses`.
    mod responses {
        /// A responses request returns 200 and a JSON object.
        RESPONSE: Must Server Check at RESPONSES ["Inference gateway (paths under {base_url})" 0xf26d_cb0a, "Inference gateway" 0x6f2e_7d00, "Versioning" 0x18ff_40a5];
        /// A responses request for an unknown model returns 404.
        UNKNOWN_MODEL: Must Server Check at RESPONSES values MODELS rejects UNKNOWN_MODEL ["Errors" 0xcc2c_0ab3, "Inference gateway (paths under {base_url})" 0xf26d_cb0a];
        /// The request body is not shown; the simulator requires a model and an input of the wire format.
        BODY: May Server Open("the document says `not shown` for this request body") rule "responses.body" ["Inference gateway (paths under {base_url})" 0x5333_5397];
        /// The response body is not shown; the simulator writes that of the wire format.
        REPLY: May Server Open("the document says `not shown` for this response body") ["Inference gateway (paths under {base_url})" 0x5333_5397, "Messages-format request body (`POST /v1/messages`)" 0x223d_283a];
    }

    /// `POST /v1/messages`.
    mod messages {
        /// A messages request with the version header returns 200 and a JSON object.
        MESSAGE_OBJECT: Must Server Check at MESSAGES ["Inference gateway (paths under {base_url})" 0x6398_c323, "Inference gateway (paths under {base_url})" 0x1a26_5c95, "Inference gateway" 0x6f2e_7d00, "Versioning" 0x18ff_40a5, "Versioning" 0xbf93_39b2];
        /// The server accepts what common client libraries send: a reply of one token, long prompts, letters beyond ASCII.
        ORDINARY: Must Server Check at MESSAGES accepts MESSAGE_BODIES ["Inference gateway" 0x6f2e_7d00, "Messages-format request body (`POST /v1/messages`)" 0xdde5_7c84];
        /// A messages request for an unknown model returns 404.
        UNKNOWN_MODEL: Must Server Check at MESSAGES values MODELS rejects UNKNOWN_MODEL ["Errors" 0xcc2c_0ab3, "Inference gateway (paths under {base_url})" 0x6398_c323];
        /// The server rejects a body that is not a JSON object.
        BODY: Must Server Check at MESSAGES rule "messages.body" rejects VALIDATION ["Inference gateway (paths under {base_url})" 0x6398_c323, "Errors" 0x1d28_2805];
        /// The server rejects a messages request whose `model` is missing or not a string.
        MODEL: Must Server Check at MESSAGES values REQUIRED_TEXT rule "messages.model" rejects VALIDATION ["Messages-format request body (`POST /v1/messages`)" 0x9850_6943, "Inference gateway" 0x1806_2630, "Errors" 0x1d28_2805];
        /// The server rejects a messages request whose `max_tokens` is missing or not an integer.
        MAX_TOKENS: Must Server Check at MESSAGES values COUNT rule "messages.max-tokens" rejects VALIDATION ["Messages-format request body (`POST /v1/messages`)" 0xe12e_57a5, "Errors" 0x1d28_2805];
        /// The server rejects a messages request whose `messages` is missing or not an array.
        MESSAGES: Must Server Check at MESSAGES values REQUIRED_LIST rule "messages.messages" rejects VALIDATION ["Messages-format request body (`POST /v1/messages`)" 0xdde5_7c84, "Errors" 0x1d28_2805];
        /// The server rejects a message that is not an object.
        MESSAGE: Must Server Check at MESSAGES values OBJECTS rule "messages.message" rejects VALIDATION ["Messages-format request body (`POST /v1/messages`)" 0xdde5_7c84, "Errors" 0x1d28_2805];
        /// `role` of a message is a string.
        ROLE: Must Server Check at MESSAGES values TEXT rule "messages.role" rejects VALIDATION ["Messages-format request body (`POST /v1/messages`)" 0xdde5_7c84, "Errors" 0x1d28_2805];
        /// `content` of a message is not a number, a boolean or an object; whether it may be more than a string is left
        /// open.
        CONTENT: Must Server Check at MESSAGES values BLOCKS rule "messages.content" rejects VALIDATION ["Messages-format request body (`POST /v1/messages`)" 0xdde5_7c84, "Errors" 0x1d28_2805];
        /// Content as an array of blocks is left open; the simulator reads the blocks of the wire format.
        BLOCKS: May Server Open("the table gives a string, while the wire format that it names also has blocks") rule "messages.blocks" ["Messages-format request body (`POST /v1/messages`)" 0xdde5_7c84];
        /// Which roles exist is left open; the simulator accepts those of the wire format.
        ROLE_KNOWN: May Server Open("the table gives the type of a role and no values") rule "messages.role-known" ["Messages-format request body (`POST /v1/messages`)" 0xdde5_7c84];
        /// A missing role or content, an empty conversation and a `max_tokens` below one are left open; the simulator
        /// rejects all of them.
        COMPLETE: May Server Open("the table requires the members of the body but gives no minimum and no required members of a message") rule "messages.complete" ["Messages-format request body (`POST /v1/messages`)" 0xe12e_57a5, "Messages-format request body (`POST /v1/messages`)" 0xdde5_7c84];
        /// Whether the version header is required, and which dates it accepts, is not shown; the simulator does not
        /// need it.
        VERSION_HEADER: May Server Open("the document says `not shown` for whether the header is required") ["Inference gateway (paths under {base_url})" 0xa7c9_8484, "Versioning" 0xbf93_39b2];
        /// Members of the response are not shown; the simulator writes those of the wire format.
        REPLY: May Server Open("the document says `not shown` for members of this response") ["Messages-format request body (`POST /v1/messages`)" 0x223d_283a];
    }

    /// `GET /v1/models`.
    mod models {
        /// The model list returns 200 and JSON.
        LIST: Must Server Check at MODELS ["Inference gateway (paths under {base_url})" 0x389e_a656, "Inference gateway" 0x6f2e_7d00, "Versioning" 0x18ff_40a5];
        /// If the model list has ids, they are strings.
        IDS: Must Server Check at MODELS ["Inference gateway" 0x1806_2630, "Inference gateway" 0x707c_8225];
        /// If the model list has ids, every model with a server in discovery is among them.
        COVERS_DISCOVERY: Must Server Check at MODELS ["Inference gateway" 0x707c_8225];
        /// The shape of the list is not shown; the simulator writes that of the wire format.
        SHAPE: May Server Open("the document says `not shown` for the body of the model list") ["Inference gateway (paths under {base_url})" 0x5333_5397];
        /// The responses of models of other kinds than text are left open; the simulator has one image model.
        KINDS: May Server Open("the document names other kinds of models and describes no request or response of theirs") ["Inference gateway" 0x07c6_c533];
    }

    /// `GET /svc/models`.
    mod discovery {
        /// Discovery returns 200 and a JSON object with a member for each model.
        OBJECT: Must Server Check at DISCOVERY ["Inference gateway (paths under {base_url})" 0x7725_3027, "Model discovery entry" 0x1a1a_b425, "Versioning" 0x18ff_40a5];
        /// Each value of the discovery object is an object with `servers`, an array of strings.
        SERVERS: Must Server Check at DISCOVERY ["Model discovery entry" 0xb06e_b52c, "Model discovery entry" 0x3d1b_126a];
        /// Each entry of `servers` is an https URL, or the confidential scheme followed by a non-empty item hash.
        ENTRY: Must Server Check at DISCOVERY ["Model discovery entry" 0x3d1b_126a];
        /// If the model list has ids, discovery has every one of them, whatever the model's kind.
        COVERS: Must Server Check at DISCOVERY ["Inference gateway" 0x707c_8225, "Inference gateway" 0x07c6_c533, "Inference gateway" 0x50c2_edb7];
        /// A discovered id can be used in requests: a model with a server in discovery is never unknown.
        USABLE: Must Server Check at ANY_CHAT ["Inference gateway" 0x707c_8225];
        /// Discovery no longer lists a server that has left, and lists one that has joined.
        CURRENT: Must Server Check at DISCOVERY ["Model discovery entry" 0x67b3_e7c1];
        /// Whether discovery and the model list need a key is left open; the simulator requires none.
        PUBLIC: May Server Open("the sentence about keys names the endpoints that need one, and does not say that the others need none") ["Authentication" 0x55b7_4e5a];
        /// Empty lists, duplicates and the form of an item hash are left open; for a model without a live server, the
        /// simulator lists no servers.
        LISTS: May Server Open("the table gives the type of `servers`, without a minimum, uniqueness or a form of hashes") ["Model discovery entry" 0x3d1b_126a];
    }

    /// Errors of inference.
    mod errors {
        /// A 401 is a JSON object with a string `detail`.
        DETAIL_401: Must Server Check at INFERENCE rejects KEY_ERROR ["Errors" 0x8006_efde, "Errors" 0xa7a5_b4e0];
        /// A 404 is a JSON object with a string `detail`.
        DETAIL_404: Must Server Check at INFERENCE rejects UNKNOWN_MODEL ["Errors" 0x8006_efde, "Errors" 0xcc2c_0ab3];
        /// A 422 is a JSON object with `detail`, a string unless the target declares otherwise.
        DETAIL_422: Must Server Check at INFERENCE rejects VALIDATION ["Errors" 0x8006_efde, "Errors" 0x1d28_2805];
        /// A 503 is a JSON object with a string `detail`.
        DETAIL_503: Must Server Check at INFERENCE rejects ALL_FAILED ["Errors" 0x8006_efde, "Errors" 0x1a4f_a3e5];
        /// A chat request for an unknown model returns 404.
        UNKNOWN_MODEL: Must Server Check at CHAT values MODELS rejects UNKNOWN_MODEL ["Errors" 0xcc2c_0ab3, "Inference gateway (paths under {base_url})" 0xf2ea_6536];
        /// Which of two errors is returned is left open; the simulator checks the key, then the body, then the model.
        ORDER: May Server Open("the table of errors has no order, so any of the statuses that apply is right") ["Errors" 0x8006_efde];
        /// Other endpoints and methods are left open; the simulator returns 404 and 405.
        OTHER_PATHS: May Server Open("the document announces more endpoints, so an unknown path may exist") ["Inference gateway (paths under {base_url})" 0xe91a_68a0];
    }

    /// The payment-required flow: paying instead of using a key.
    mod payment {
        /// While the payment flow is on, a request without a key and without a payment returns 402.
        REQUIRED: Must Server Check at INFERENCE rejects PAYMENT ["Authentication" 0xd11c_b479, "Errors" 0x99ac_099d, "Inference gateway" 0x7a69_1fda];
        /// While the payment flow is on, a request with an invalid payment and without a key is rejected.
        INVALID: Must Server Check at INFERENCE rejects NO_PAYMENT ["Authentication" 0xd11c_b479, "Errors" 0x99ac_099d];
        /// A 402 is a JSON object with a string `detail`.
        DETAIL: Must Server Check at INFERENCE rejects PAYMENT ["Errors" 0x8006_efde, "Errors" 0x99ac_099d];
        /// The server accepts the request when it is resubmitted with `X-PAYMENT` and without a key.
        PAID: Must Server Check at INFERENCE ["Authentication" 0xd11c_b479, "Errors" 0x99ac_099d, "Inference gateway" 0x7a69_1fda];
        /// A payment that was used gets a 4xx or a success; if the target declares that a payment pays once, a 4xx.
        USED_AGAIN: Must Server Check at CHAT_WHOLE ["Inference gateway" 0x7a69_1fda, "Errors" 0x8006_efde];
        /// While the payment flow is on, an invalid key still returns 401.
        INVALID_KEY: Must Server Check at INFERENCE rejects INVALID_KEY ["Authentication" 0xd11c_b479, "Authentication" 0x3741_f6ca];
        /// While the payment flow is on, a valid key is still enough.
        VALID_KEY: Must Server Check at INFERENCE ["Authentication" 0xd11c_b479];
        /// How a payment is signed, what it costs, and a request with both a payment and a key are not shown; the
        /// simulator has a stand-in.
        SIGNING: May Server Open("the document says `not shown` for how a payment is signed") ["Authentication" 0x345e_effa, "Inference gateway" 0x0030_7505];
        /// Billing is by a subscription, by credits per token, and per token for usage past a subscription.
        BILLING: Must Server NotObservable("no endpoint shows what a key was billed") ["Inference gateway" 0xd184_27a7];
        /// The response to a key with nothing left is left open; the simulator responds as to a missing payment.
        USED_UP: May Server Open("the billing modes are described without any status") ["Inference gateway" 0xd184_27a7];
    }

    /// The backing servers behind the gateway.
    mod pool {
        /// A request fails only if every server of its model has failed; as long as one answers, the request succeeds.
        FAILOVER: Must Server Check at INFERENCE ["Errors" 0x1a4f_a3e5, "Inference gateway" 0x4594_0948, "Inference gateway" 0xe9d2_61d4];
        /// If every server of a model has failed, the request returns 503.
        ALL_FAILED: Must Server Check at INFERENCE rejects ALL_FAILED ["Errors" 0x1a4f_a3e5];
        /// Failed servers of one model do not affect other models.
        PER_MODEL: Must Server Check at INFERENCE ["Errors" 0x1a4f_a3e5];
        /// When a server is back, the same request succeeds again.
        RECOVERS: Must Server Check at INFERENCE ["Errors" 0x1a4f_a3e5];
        /// The server accepts a request that sends the gateway's cookies back.
        COOKIES: Must Server Check at INFERENCE ["Inference gateway" 0xe9d2_61d4];
        /// While every server of a model answers, one of them answers the requests with the gateway's cookie.
        ROUTING: Must Server Check ["Inference gateway" 0xe9d2_61d4];
        /// Name, attributes and presence of the cookie are not shown; the simulator varies them.
        COOKIE_NAME: May Server Open("the document says `not shown` for the name, and a model with one server needs no cookie") ["Inference gateway" 0xe9d2_61d4];
        /// What counts as a failure is left open; the simulator also retries after an invalid response.
        FAILURE: May Server Open("the document says that a server failed, not what a failure is") ["Errors" 0x1a4f_a3e5];
    }

    /// Servers called directly.
    mod direct {
        /// A listed server accepts chat requests at its own URL with the gateway's key.
        CHAT: Must Server Check at ANY_CHAT ["Direct server access" 0x4f8b_6cef, "Direct server access" 0x29f1_95fb, "Inference gateway" 0xcaf4_cb87, "Authentication" 0x55b7_4e5a, "Authentication" 0xe9d2_64a6];
        /// A listed server accepts completions requests at its own URL.
        COMPLETIONS: Must Server Check at COMPLETIONS ["Direct server access" 0x4f8b_6cef, "Direct server access" 0x29f1_95fb];
        /// A listed server accepts messages requests at its own URL.
        MESSAGES: Must Server Check at MESSAGES ["Direct server access" 0x4f8b_6cef, "Direct server access" 0x29f1_95fb];
        /// Every listed server of a model accepts the key, and has each endpoint that another server of the model has.
        EVERY_SERVER: Must Server Check at DIRECT ["Authentication" 0xe9d2_64a6, "Direct server access" 0x4f8b_6cef, "Direct server access" 0x29f1_95fb];
        /// A listed server returns 401 for an invalid key.
        INVALID_KEY: Must Server Check at DIRECT values KEYS rejects INVALID_KEY ["Authentication" 0x55b7_4e5a, "Authentication" 0x3741_f6ca];
        /// A listed server returns 401 without a key, or 402 if the payment flow is on.
        MISSING_KEY: Must Server Check at DIRECT rejects MISSING_KEY ["Authentication" 0x55b7_4e5a, "Authentication" 0x3741_f6ca];
        /// A listed server returns 401 for a revoked key.
        REVOKED_KEY: Must Server Check at DIRECT rejects INVALID_KEY ["Authentication" 0xe9d2_64a6, "Authentication" 0x3741_f6ca];
        /// A listed server returns 404 for an unknown model.
        UNKNOWN_MODEL: Must Server Check at DIRECT values MODELS rejects UNKNOWN_MODEL ["Direct server access" 0x4f8b_6cef, "Errors" 0xcc2c_0ab3];
        /// What else a server offers is left open; the simulator's servers offer what the gateway does, except
        /// discovery.
        OTHERS: May Server Open("the document lists three endpoints and adds `and others`") ["Direct server access" 0x4f8b_6cef];
        /// A direct call has neither health-aware routing nor the sticky cookie.
        ALONE: Must Server NotObservable("no response names its server") ["Inference gateway" 0x8c8a_4b40, "Direct server access" 0x6ad6_b532];
    }

    /// Confidential deployments and the clients that verify them.
    mod confidential {
        /// The client does not use an entry of the confidential scheme as an address.
        NOT_AN_ADDRESS: Must Client Client ["Model discovery entry" 0xfa6f_c061, "Model discovery entry" 0xd18a_5c40];
        /// The client resolves the item hash to the current address before a request.
        RESOLVED: Must Client Client ["Model discovery entry" 0xd18a_5c40, "Direct server access" 0x49f8_6e3a];
        /// The client writes no byte of a request before it has attested the enclave.
        ATTESTED_FIRST: Must Client Client ["Authentication" 0x7ec3_f51f, "Direct server access" 0x49f8_6e3a];
        /// The client sends no request to an enclave that fails verification.
        REFUSED: Must Client Client ["Authentication" 0x7ec3_f51f];
        /// The client sends requests only over a connection with the attested certificate.
        PINNED: Must Client Client ["Direct server access" 0x49f8_6e3a];
        /// After a reboot, with its new port and certificate, the client sends nothing before it resolves and attests
        /// again.
        REBOOTED: Must Client Client ["Model discovery entry" 0x8938_817d, "Direct server access" 0x49f8_6e3a];
        /// Every boot of a confidential deployment has a new port and a new certificate.
        FRESH: Must Server NotObservable("how an item hash is resolved is not shown, so no client sees an address or a certificate before it verifies; simulator tests cover both") ["Model discovery entry" 0x8938_817d];
        /// The key for a confidential model is checked inside the enclave.
        KEY_INSIDE: Must Server NotObservable("no response shows it") ["Authentication" 0x128a_e03d];
        /// Confidential models run in a trusted execution environment that can be attested.
        ENCLAVE: Must Server NotObservable("how an enclave is attested is not shown") ["Inference gateway" 0xf639_fcb6];
        /// How hashes are resolved and enclaves attested is not shown; the simulator has stand-ins.
        STAND_INS: May Server Open("the document requires a verifying client without describing its protocol") ["Model discovery entry" 0xd18a_5c40, "Direct server access" 0x49f8_6e3a];
    }

    /// What a client does.
    mod client {
        /// The client sends the key in the header `Authorization` after `Bearer`.
        BEARER: Must Client Client ["Authentication" 0x55b7_4e5a];
        /// The client queries discovery again periodically and does not fix a server's URL.
        DISCOVERS_AGAIN: Must Client Client ["Direct server access" 0xc529_ddec, "Model discovery entry" 0x67b3_e7c1];
        /// The client no longer uses a URL that discovery no longer lists.
        NO_VANISHED_URL: Must Client Client ["Direct server access" 0xc529_ddec, "Model discovery entry" 0x67b3_e7c1];
        /// After a failure of one server, the client tries another server of the list.
        OTHER_SERVER: Must Client Client ["Direct server access" 0x6ad6_b532];
        /// The client treats an error event in a stream as a failure.
        ERROR_EVENT: Must Client Client rule "stream.error-event" ["Events" 0xff72_a7b2];
        /// The client does not treat a stream that dies midway as a complete answer.
        DEAD_STREAM: Must Client Client ["Events" 0xff72_a7b2];
        /// After a 402, the client resubmits the request with `X-PAYMENT` and without a key.
        PAYMENT: Must Client Client ["Authentication" 0xd11c_b479, "Errors" 0x99ac_099d];
        /// After it ran a tool, the client appends a `tool` message with the id of the call and the result, and calls the
        /// model again.
        TOOL_RESULT: Must Client Client ["Chat request body (`POST /v1/chat/completions`)" 0x588a_f6a7, "Chat request body (`POST /v1/chat/completions`)" 0x7558_dbe7];
        /// The client sends back a cookie that the gateway set.
        COOKIES: Should Client Client ["Inference gateway" 0xe9d2_61d4];
        /// After a 401, the client does not retry the key repeatedly; it checks the key.
        REFUSED_KEY: Should Client Client ["Errors" 0xa7a5_b4e0];
        /// After a 503, the client retries the request shortly after.
        UNAVAILABLE: Should Client Client ["Errors" 0x1a4f_a3e5];
    }

    /// Unusual input: other spellings are accepted, and what is wrong gets a 4xx or a success, never an internal error.
    mod input {
        /// The server accepts a body in another spelling of its JSON: order of the members, white space, escapes that need not be.
        SPELLING: Must Server Check at BODIES accepts SPELLINGS ["Inference gateway" 0x4594_0948];
        /// A body that is not UTF-8 gets a 4xx or a success.
        NOT_UTF8: Must Server Check at BODIES ["Errors" 0x8006_efde, "Errors" 0x1d28_2805];
        /// A body without content, or whose conversation has none, gets a 4xx or a success.
        EMPTY: Must Server Check at BODIES ["Errors" 0x8006_efde, "Errors" 0x1d28_2805];
        /// A string with half of a surrogate pair, or with the character zero, gets a 4xx or a success.
        SURROGATE: Must Server Check at BODIES ["Errors" 0x8006_efde, "Errors" 0x1d28_2805];
        /// A body that is nested deep, also in the schema of a tool, gets a 4xx or a success.
        DEEP: Must Server Check at BODIES ["Errors" 0x8006_efde, "Errors" 0x1d28_2805];
        /// A body of many megabytes gets a 4xx or a success; the maximum size is not shown.
        LARGE: Must Server Check at BODIES ["Errors" 0x8006_efde, "Errors" 0x1d28_2805];
        /// An unknown role gets a validation error or a success.
        UNKNOWN_ROLE: Must Server Check at ANY_CHAT ["Chat request body (`POST /v1/chat/completions`)" 0x1f5a_3d81, "Errors" 0x1d28_2805];
        /// An image that is not base64 data gets a 4xx or a success.
        IMAGE_DATA: Must Server Check at ANY_CHAT ["Chat request body (`POST /v1/chat/completions`)" 0x32fe_0984, "Errors" 0x1d28_2805];
        /// A number beyond any range, or one that JSON does not have, gets a 4xx or a success.
        HUGE_NUMBER: Must Server Check at BODIES ["Errors" 0x8006_efde, "Errors" 0x1d28_2805];
        /// An unknown path with encoded slashes, dots or zero bytes does not cause an internal error.
        ODD_PATH: Must Server Check ["Errors" 0x8006_efde];
        /// The maximum values of a request are not shown; the simulator has limits.
        LIMITS: May Server Open("the document says `not shown` for rate, size, context and token limits") rule "input.limits" ["Errors" 0x1d28_2805];
    }
}
