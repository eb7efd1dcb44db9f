//! Every statement of document 1 about the inference gateway, one row each.

crate::requirements! {
    service Gateway;

    /// The key and its check: `GET /svc/auth/check`.
    mod auth {
        /// A valid key is answered by 200.
        KEY_CHECK: Must Server Check ["Inference gateway (paths under {base_url})" 8 0x8f58_59ee, "Authentication" 1 0x55b7_4e5a, "Versioning" 1 0x18ff_40a5];
        /// A key that is not valid is answered by 401.
        KEY_CHECK_INVALID: Must Server Check ["Inference gateway (paths under {base_url})" 8 0x8f58_59ee, "Authentication" 3 0x3741_f6ca, "Errors" 2 0xa7a5_b4e0];
        /// A check without a key is answered by 401.
        KEY_CHECK_MISSING: Must Server Check ["Inference gateway (paths under {base_url})" 8 0x8f58_59ee, "Authentication" 3 0x3741_f6ca, "Errors" 2 0xa7a5_b4e0];
        /// A key that was valid once and is no longer is answered by 401.
        KEY_CHECK_REVOKED: Must Server Check ["Inference gateway (paths under {base_url})" 8 0x8f58_59ee, "Authentication" 3 0x3741_f6ca];
        /// The check spends nothing of what the key has.
        KEY_CHECK_FREE: Must Server Check ["Inference gateway (paths under {base_url})" 8 0x8f58_59ee];
        /// An invalid key gets no chat completion, but a 401.
        INVALID_KEY_CHAT: Must Server Check ["Authentication" 1 0x55b7_4e5a, "Authentication" 3 0x3741_f6ca, "Errors" 2 0xa7a5_b4e0];
        /// An invalid key gets no completion, but a 401.
        INVALID_KEY_COMPLETIONS: Must Server Check ["Authentication" 1 0x55b7_4e5a, "Authentication" 3 0x3741_f6ca, "Errors" 2 0xa7a5_b4e0];
        /// An invalid key gets no completion of the native style, but a 401.
        INVALID_KEY_NATIVE: Must Server Check ["Authentication" 1 0x55b7_4e5a, "Authentication" 3 0x3741_f6ca, "Errors" 2 0xa7a5_b4e0];
        /// An invalid key gets no response, but a 401.
        INVALID_KEY_RESPONSES: Must Server Check ["Authentication" 1 0x55b7_4e5a, "Authentication" 3 0x3741_f6ca, "Errors" 2 0xa7a5_b4e0];
        /// An invalid key gets no message, but a 401.
        INVALID_KEY_MESSAGES: Must Server Check ["Authentication" 1 0x55b7_4e5a, "Authentication" 3 0x3741_f6ca, "Errors" 2 0xa7a5_b4e0];
        /// A request for inference without a key is answered by 401, or by 402 where the payment flow is on.
        MISSING_KEY: Must Server Check ["Authentication" 3 0x3741_f6ca, "Authentication" 6 0xd11c_b479, "Errors" 2 0xa7a5_b4e0];
        /// A key that was valid once and is no longer is refused for inference.
        REVOKED_KEY: Must Server Check ["Authentication" 3 0x3741_f6ca, "Errors" 2 0xa7a5_b4e0];
        /// Whether a key is taken in another header or after another scheme word is left open; the simulator takes it in the header of the messages format too.
        OTHER_HEADERS: May Server Open ["Authentication" 1 0x55b7_4e5a];
        /// Bodies of the key check are left open; the simulator answers with JSON.
        KEY_CHECK_BODY: May Server Open ["Inference gateway (paths under {base_url})" 8 0x8f58_59ee];
    }

    /// `POST /v1/chat/completions`.
    mod chat {
        /// A text as `content` is answered by 200 and a JSON object.
        ANSWERED: Must Server Check ["Inference gateway (paths under {base_url})" 1 0xf2ea_6536, "Chat request body (`POST /v1/chat/completions`)" 7 0xc6c3_95f4, "Inference gateway" 2 0x4594_0948, "Versioning" 1 0x18ff_40a5];
        /// The answer holds `choices`, an array that is not empty, and each choice an object `message`.
        CHOICES: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 13 0xc0ce_e52b, "Inference gateway (paths under {base_url})" 1 0xf2ea_6536, "Inference gateway" 2 0x4594_0948];
        /// Where the wire format is kept in full, `message.content` of an answer in words is a text that is not empty.
        ANSWER_TEXT: Must Server Check ["Inference gateway" 2 0x4594_0948];
        /// An array of text parts as `content` is taken.
        PARTS: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 7 0xc6c3_95f4, "Chat request body (`POST /v1/chat/completions`)" 10 0xd29c_2789];
        /// An image part with a data URL of base64 image data is taken.
        IMAGE: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 11 0x32fe_0984, "Chat request body (`POST /v1/chat/completions`)" 7 0xc6c3_95f4, "Inference gateway" 11 0xaf8d_4826];
        /// A body that is no JSON object is refused.
        BODY: Must Server Check rule "chat.body" ["Inference gateway (paths under {base_url})" 1 0xf2ea_6536, "Errors" 5 0x1d28_2805];
        /// `model` is given, as a text.
        MODEL: Must Server Check rule "chat.model" ["Chat request body (`POST /v1/chat/completions`)" 1 0xe467_001b, "Inference gateway" 4 0x1806_2630, "Errors" 5 0x1d28_2805];
        /// `messages` is given, as an array.
        MESSAGES: Must Server Check rule "chat.messages" ["Chat request body (`POST /v1/chat/completions`)" 2 0xeb9e_5296, "Errors" 5 0x1d28_2805];
        /// Each message is an object.
        MESSAGE: Must Server Check rule "chat.message" ["Chat request body (`POST /v1/chat/completions`)" 2 0xeb9e_5296, "Errors" 5 0x1d28_2805];
        /// `role` of a message is a text.
        ROLE: Must Server Check rule "chat.role" ["Chat request body (`POST /v1/chat/completions`)" 6 0x1f5a_3d81, "Errors" 5 0x1d28_2805];
        /// `content` of a message is a text or an array.
        CONTENT: Must Server Check rule "chat.content" ["Chat request body (`POST /v1/chat/completions`)" 7 0xc6c3_95f4, "Errors" 5 0x1d28_2805];
        /// Each content part is an object.
        PART: Must Server Check rule "chat.part" ["Chat request body (`POST /v1/chat/completions`)" 7 0xc6c3_95f4, "Errors" 5 0x1d28_2805];
        /// `type` of a content part is `text` or `image_url`.
        PART_TYPE: Must Server Check rule "chat.part-type" ["Chat request body (`POST /v1/chat/completions`)" 10 0xd29c_2789, "Chat request body (`POST /v1/chat/completions`)" 11 0x32fe_0984, "Errors" 5 0x1d28_2805];
        /// `text` of a text part is a text.
        PART_TEXT: Must Server Check rule "chat.part-text" ["Chat request body (`POST /v1/chat/completions`)" 10 0xd29c_2789, "Errors" 5 0x1d28_2805];
        /// `image_url` of an image part is an object.
        PART_IMAGE: Must Server Check rule "chat.part-image" ["Chat request body (`POST /v1/chat/completions`)" 11 0x32fe_0984, "Errors" 5 0x1d28_2805];
        /// `url` of an image part is a text.
        PART_IMAGE_URL: Must Server Check rule "chat.part-image-url" ["Chat request body (`POST /v1/chat/completions`)" 11 0x32fe_0984, "Errors" 5 0x1d28_2805];
        /// `tool_call_id` of a tool's message is a text.
        TOOL_CALL_ID: Must Server Check rule "chat.tool-call-id" ["Chat request body (`POST /v1/chat/completions`)" 8 0x7558_dbe7, "Errors" 5 0x1d28_2805];
        /// `stream` is a boolean.
        STREAM: Must Server Check rule "chat.stream" ["Chat request body (`POST /v1/chat/completions`)" 3 0xa5b7_a47f, "Errors" 5 0x1d28_2805];
        /// Which roles there are besides `user` and `tool` is left open; the simulator takes those that the wire format knows.
        ROLE_KNOWN: May Server Open rule "chat.role-known" ["Chat request body (`POST /v1/chat/completions`)" 6 0x1f5a_3d81];
        /// Which members of a message may be missing is left open; the simulator wants the role, a content but for an assistant's tool calls, and the id that a tool's message answers.
        MESSAGE_COMPLETE: May Server Open rule "chat.message-complete" ["Chat request body (`POST /v1/chat/completions`)" 6 0x1f5a_3d81, "Chat request body (`POST /v1/chat/completions`)" 7 0xc6c3_95f4, "Chat request body (`POST /v1/chat/completions`)" 8 0x7558_dbe7];
        /// Whether a conversation may be empty is left open; the simulator refuses it.
        NOT_EMPTY: May Server Open rule "chat.not-empty" ["Chat request body (`POST /v1/chat/completions`)" 2 0xeb9e_5296];
        /// Which image URLs are taken besides base64 data URLs is left open; the simulator takes http and https ones, which it does not fetch, and refuses the rest.
        IMAGE_DATA: May Server Open rule "chat.image-data" ["Chat request body (`POST /v1/chat/completions`)" 11 0x32fe_0984];
        /// Members that the documents do not name are left open; the simulator reads those that it knows and ignores the rest.
        FURTHER_MEMBERS: May Server Open ["Inference gateway" 2 0x4594_0948, "Inference gateway" 12 0xedb4_bc84];
        /// Members of the answer besides the listed ones are left open; the simulator writes those that the wire format has.
        REPLY_FURTHER: May Server Open ["Messages-format request body (`POST /v1/messages`)" 4 0x223d_283a];
    }

    /// `POST /v1/chat/completions` with `stream`.
    mod stream {
        /// With `stream` true the answer is 200 and an event stream.
        EVENT_STREAM: Must Server Check ["Inference gateway (paths under {base_url})" 1 0xf2ea_6536, "Chat request body (`POST /v1/chat/completions`)" 3 0xa5b7_a47f, "Events" 1 0xecb0_8d5f, "Inference gateway" 11 0xaf8d_4826];
        /// The data of each event but the end mark is one JSON object with an array `choices`.
        CHUNKS: Must Server Check ["Events" 1 0xecb0_8d5f, "Chat request body (`POST /v1/chat/completions`)" 14 0xcf21_d7fc];
        /// `delta.content` of a chunk is a text where it is present.
        DELTA: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 14 0xcf21_d7fc];
        /// The increments of an answer in words make a text that is not empty.
        TEXT: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 14 0xcf21_d7fc, "Events" 1 0xecb0_8d5f];
        /// With `stream` false the answer is one JSON object and no event stream.
        NOT_ASKED_FOR: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 3 0xa5b7_a47f, "Inference gateway (paths under {base_url})" 1 0xf2ea_6536];
        /// What goes wrong before the stream is answered by its status and an error in JSON, and no event stream.
        ERROR_BEFORE: Must Server Check ["Inference gateway (paths under {base_url})" 1 0xf2ea_6536, "Errors" 1 0x8006_efde];
        /// A stream that fails midway says so by an event, and does not end as if it were whole.
        ERROR_EVENT: Must Server Check ["Events" 2 0xff72_a7b2];
        /// The shape of the error event is left open; the simulator writes an object `error`.
        ERROR_SHAPE: May Server Open ["Events" 3 0xae54_9988];
        /// End mark, comments, further fields and the last chunk are left open; the simulator varies them.
        FURNITURE: May Server Open ["Events" 1 0xecb0_8d5f, "Messages-format request body (`POST /v1/messages`)" 4 0x223d_283a];
        /// Whether the other endpoints stream is left open; the simulator streams where their wire formats do.
        ELSEWHERE: May Server Open ["Events" 1 0xecb0_8d5f, "Messages-format request body (`POST /v1/messages`)" 4 0x223d_283a];
    }

    /// Tools: their declaration, the call, and its answer.
    mod tools {
        /// A model that is flagged for tool calls takes a request that declares tools.
        TAKEN: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 4 0x5373_83ee, "Chat request body (`POST /v1/chat/completions`)" 12 0x69c1_90cb, "Inference gateway" 8 0x22b6_3532, "Inference gateway" 11 0xaf8d_4826];
        /// `function.name` of a tool call is a text.
        CALL_NAME: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 13 0xc0ce_e52b];
        /// `function.arguments` of a tool call is a text.
        CALL_ARGUMENTS: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 13 0xc0ce_e52b];
        /// Where the wire format is kept in full, a tool call has an `id`, a text that is not empty, by which it is answered.
        CALL_ID: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 8 0x7558_dbe7];
        /// The conversation goes on with a message of role `tool`, the id of the call and its content.
        ROUND_TRIP: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 15 0x588a_f6a7, "Chat request body (`POST /v1/chat/completions`)" 6 0x1f5a_3d81, "Chat request body (`POST /v1/chat/completions`)" 8 0x7558_dbe7];
        /// `tools` is an array.
        TOOLS: Must Server Check rule "tools.tools" ["Chat request body (`POST /v1/chat/completions`)" 4 0x5373_83ee, "Errors" 5 0x1d28_2805];
        /// Each tool is an object.
        TOOL: Must Server Check rule "tools.tool" ["Chat request body (`POST /v1/chat/completions`)" 12 0x69c1_90cb, "Errors" 5 0x1d28_2805];
        /// `type` of a tool is `function`.
        TYPE: Must Server Check rule "tools.type" ["Chat request body (`POST /v1/chat/completions`)" 12 0x69c1_90cb, "Errors" 5 0x1d28_2805];
        /// `function` of a tool is an object.
        FUNCTION: Must Server Check rule "tools.function" ["Chat request body (`POST /v1/chat/completions`)" 12 0x69c1_90cb, "Errors" 5 0x1d28_2805];
        /// `name` of a function is given, as a text.
        NAME: Must Server Check rule "tools.name" ["Chat request body (`POST /v1/chat/completions`)" 12 0x69c1_90cb, "Errors" 5 0x1d28_2805];
        /// `description` of a function is a text.
        DESCRIPTION: Must Server Check rule "tools.description" ["Chat request body (`POST /v1/chat/completions`)" 12 0x69c1_90cb, "Errors" 5 0x1d28_2805];
        /// `parameters` of a function is an object.
        PARAMETERS: Must Server Check rule "tools.parameters" ["Chat request body (`POST /v1/chat/completions`)" 12 0x69c1_90cb, "Errors" 5 0x1d28_2805];
        /// What stands inside a schema is left open; the simulator takes any object.
        SCHEMA: May Server Open ["Chat request body (`POST /v1/chat/completions`)" 12 0x69c1_90cb];
        /// Whether the arguments are JSON that fits the schema, and whether the name is a declared one, is left open; the simulator's are.
        ARGUMENTS_FIT: May Server Open ["Chat request body (`POST /v1/chat/completions`)" 13 0xc0ce_e52b];
        /// Tools for a model without the flag, and where the flag can be seen, are left open; the simulator ignores them.
        UNFLAGGED: May Server Open ["Chat request body (`POST /v1/chat/completions`)" 4 0x5373_83ee, "Inference gateway" 8 0x22b6_3532];
        /// Which members of a declaration may be missing is left open; the simulator takes a function without a description and without parameters.
        DECLARATION_COMPLETE: May Server Open ["Chat request body (`POST /v1/chat/completions`)" 12 0x69c1_90cb];
    }

    /// `POST /v1/completions` and `POST /completions`.
    mod completions {
        /// A completion is answered by 200 and a JSON object.
        COMPLETION: Must Server Check ["Inference gateway (paths under {base_url})" 2 0xc93e_60dd, "Inference gateway" 3 0x6f2e_7d00, "Versioning" 1 0x18ff_40a5];
        /// A completion of the native style is answered by 200 and a JSON object.
        NATIVE: Must Server Check ["Inference gateway (paths under {base_url})" 6 0x2a86_6011];
        /// A completion by an unknown model is answered by 404.
        UNKNOWN_MODEL: Must Server Check ["Errors" 4 0xcc2c_0ab3, "Inference gateway (paths under {base_url})" 2 0xc93e_60dd];
        /// The bodies are not shown; the simulator wants a model, and a prompt of the kinds that the wire format has.
        BODY: May Server Open rule "completions.body" ["Inference gateway (paths under {base_url})" 9 0x5333_5397];
        /// The answers are not shown; the simulator writes those of the wire format.
        REPLY: May Server Open ["Inference gateway (paths under {base_url})" 9 0x5333_5397, "Messages-format request body (`POST /v1/messages`)" 4 0x223d_283a];
    }

    /// `POST /v1/responses`.
    mod responses {
        /// A request is answered by 200 and a JSON object.
        RESPONSE: Must Server Check ["Inference gateway (paths under {base_url})" 3 0xf26d_cb0a, "Inference gateway" 3 0x6f2e_7d00, "Versioning" 1 0x18ff_40a5];
        /// A response by an unknown model is answered by 404.
        UNKNOWN_MODEL: Must Server Check ["Errors" 4 0xcc2c_0ab3, "Inference gateway (paths under {base_url})" 3 0xf26d_cb0a];
        /// The body is not shown; the simulator wants a model, and an input of the kinds that the wire format has.
        BODY: May Server Open rule "responses.body" ["Inference gateway (paths under {base_url})" 9 0x5333_5397];
        /// The answer is not shown; the simulator writes that of the wire format.
        REPLY: May Server Open ["Inference gateway (paths under {base_url})" 9 0x5333_5397, "Messages-format request body (`POST /v1/messages`)" 4 0x223d_283a];
    }

    /// `POST /v1/messages`.
    mod messages {
        /// A request with the version header is answered by 200 and a JSON object.
        MESSAGE_OBJECT: Must Server Check ["Inference gateway (paths under {base_url})" 4 0x6398_c323, "Inference gateway (paths under {base_url})" 10 0x1a26_5c95, "Inference gateway" 3 0x6f2e_7d00, "Versioning" 1 0x18ff_40a5, "Versioning" 2 0xbf93_39b2];
        /// A message by an unknown model is answered by 404.
        UNKNOWN_MODEL: Must Server Check ["Errors" 4 0xcc2c_0ab3, "Inference gateway (paths under {base_url})" 4 0x6398_c323];
        /// A body that is no JSON object is refused.
        BODY: Must Server Check rule "messages.body" ["Inference gateway (paths under {base_url})" 4 0x6398_c323, "Errors" 5 0x1d28_2805];
        /// `model` is given, as a text.
        MODEL: Must Server Check rule "messages.model" ["Messages-format request body (`POST /v1/messages`)" 1 0x9850_6943, "Inference gateway" 4 0x1806_2630, "Errors" 5 0x1d28_2805];
        /// `max_tokens` is given, as an integer.
        MAX_TOKENS: Must Server Check rule "messages.max-tokens" ["Messages-format request body (`POST /v1/messages`)" 2 0xe12e_57a5, "Errors" 5 0x1d28_2805];
        /// `messages` is given, as an array.
        MESSAGES: Must Server Check rule "messages.messages" ["Messages-format request body (`POST /v1/messages`)" 3 0xdde5_7c84, "Errors" 5 0x1d28_2805];
        /// Each message is an object.
        MESSAGE: Must Server Check rule "messages.message" ["Messages-format request body (`POST /v1/messages`)" 3 0xdde5_7c84, "Errors" 5 0x1d28_2805];
        /// `role` of a message is a text.
        ROLE: Must Server Check rule "messages.role" ["Messages-format request body (`POST /v1/messages`)" 3 0xdde5_7c84, "Errors" 5 0x1d28_2805];
        /// `content` of a message is neither a number nor a boolean nor an object; that it may be more than a text is left open.
        CONTENT: Must Server Check rule "messages.content" ["Messages-format request body (`POST /v1/messages`)" 3 0xdde5_7c84, "Errors" 5 0x1d28_2805];
        /// Content as an array of blocks is left open; the simulator reads the blocks that the wire format has.
        BLOCKS: May Server Open rule "messages.blocks" ["Messages-format request body (`POST /v1/messages`)" 3 0xdde5_7c84];
        /// Which roles there are is left open; the simulator takes those that the wire format knows.
        ROLE_KNOWN: May Server Open rule "messages.role-known" ["Messages-format request body (`POST /v1/messages`)" 3 0xdde5_7c84];
        /// Whether role and content may be missing, the conversation empty, and `max_tokens` below one is left open; the simulator refuses all of them.
        COMPLETE: May Server Open rule "messages.complete" ["Messages-format request body (`POST /v1/messages`)" 2 0xe12e_57a5, "Messages-format request body (`POST /v1/messages`)" 3 0xdde5_7c84];
        /// Whether the version header is required, and which dates it takes, is not shown; the simulator does without.
        VERSION_HEADER: May Server Open ["Inference gateway (paths under {base_url})" 11 0xa7c9_8484, "Versioning" 2 0xbf93_39b2];
        /// Members of the answer are not shown; the simulator writes those of the wire format.
        REPLY: May Server Open ["Messages-format request body (`POST /v1/messages`)" 4 0x223d_283a];
    }

    /// `GET /v1/models`.
    mod models {
        /// The list is answered by 200 and JSON.
        LIST: Must Server Check ["Inference gateway (paths under {base_url})" 5 0x389e_a656, "Inference gateway" 3 0x6f2e_7d00, "Versioning" 1 0x18ff_40a5];
        /// Where ids are found in the list, they are texts.
        IDS: Must Server Check ["Inference gateway" 4 0x1806_2630, "Inference gateway" 5 0x707c_8225];
        /// Where ids are found in the list, every model with a server in discovery is among them.
        COVERS_DISCOVERY: Must Server Check ["Inference gateway" 5 0x707c_8225];
        /// The shape of the list is not shown; the simulator writes that of the wire format.
        SHAPE: May Server Open ["Inference gateway (paths under {base_url})" 9 0x5333_5397];
        /// What models of other kinds than text answer is left open; the simulator has one that draws.
        KINDS: May Server Open ["Inference gateway" 6 0x07c6_c533];
    }

    /// `GET /svc/models`.
    mod discovery {
        /// Discovery is answered by 200 and a JSON object with a member for each model.
        OBJECT: Must Server Check ["Inference gateway (paths under {base_url})" 7 0x7725_3027, "Model discovery entry" 1 0x1a1a_b425, "Versioning" 1 0x18ff_40a5];
        /// Each value is an object with `servers`, an array of texts.
        SERVERS: Must Server Check ["Model discovery entry" 2 0xb06e_b52c, "Model discovery entry" 3 0x3d1b_126a];
        /// Each entry is an https URL, or the confidential scheme and an item hash that is not empty.
        ENTRY: Must Server Check ["Model discovery entry" 3 0x3d1b_126a];
        /// Where ids are found in the list of models, discovery has every one of them, whatever its kind.
        COVERS: Must Server Check ["Inference gateway" 5 0x707c_8225, "Inference gateway" 6 0x07c6_c533, "Inference gateway" 7 0x50c2_edb7];
        /// A discovered id is an id to ask with: no model with a server in discovery is unknown in a request.
        USABLE: Must Server Check ["Inference gateway" 5 0x707c_8225];
        /// A server that has left is listed no longer, and one that has joined is listed.
        CURRENT: Must Server Check ["Model discovery entry" 7 0x67b3_e7c1];
        /// Whether discovery and the list need a key is left open; the simulator asks for none.
        PUBLIC: May Server Open ["Authentication" 1 0x55b7_4e5a];
        /// Empty lists, doubles, and the form of an item hash are left open; the simulator lists a model without a live server with none.
        LISTS: May Server Open ["Model discovery entry" 3 0x3d1b_126a];
    }

    /// Errors of inference.
    mod errors {
        /// A 401 is a JSON object with a text `detail`.
        DETAIL_401: Must Server Check ["Errors" 1 0x8006_efde, "Errors" 2 0xa7a5_b4e0];
        /// A 404 is a JSON object with a text `detail`.
        DETAIL_404: Must Server Check ["Errors" 1 0x8006_efde, "Errors" 4 0xcc2c_0ab3];
        /// A 422 is a JSON object with `detail`, a text unless the target declares otherwise.
        DETAIL_422: Must Server Check ["Errors" 1 0x8006_efde, "Errors" 5 0x1d28_2805];
        /// A 503 is a JSON object with a text `detail`.
        DETAIL_503: Must Server Check ["Errors" 1 0x8006_efde, "Errors" 6 0x1a4f_a3e5];
        /// A chat with an unknown model is answered by 404.
        UNKNOWN_MODEL: Must Server Check ["Errors" 4 0xcc2c_0ab3, "Inference gateway (paths under {base_url})" 1 0xf2ea_6536];
        /// Which of two errors is answered is left open; the simulator looks at the key, then the body, then the model.
        ORDER: May Server Open ["Errors" 1 0x8006_efde];
        /// Other endpoints and methods are left open; the simulator answers 404 and 405.
        OTHER_PATHS: May Server Open ["Inference gateway (paths under {base_url})" 12 0xe91a_68a0];
    }

    /// Paying instead of having a key.
    mod payment {
        /// While the flow is on, a request without a key is answered by 402.
        REQUIRED: Must Server Check ["Authentication" 6 0xd11c_b479, "Errors" 3 0x99ac_099d, "Inference gateway" 15 0x7a69_1fda];
        /// A 402 is a JSON object with a text `detail`.
        DETAIL: Must Server Check ["Errors" 1 0x8006_efde, "Errors" 3 0x99ac_099d];
        /// The request sent again with `X-PAYMENT` and without a key is answered.
        PAID: Must Server Check ["Authentication" 6 0xd11c_b479, "Errors" 3 0x99ac_099d, "Inference gateway" 15 0x7a69_1fda];
        /// While the flow is on, an invalid key is still answered by 401.
        INVALID_KEY: Must Server Check ["Authentication" 3 0x3741_f6ca, "Authentication" 6 0xd11c_b479];
        /// While the flow is on, a valid key still pays for itself.
        VALID_KEY: Must Server Check ["Authentication" 6 0xd11c_b479];
        /// How a payment is signed, what it costs, and a request with both a payment and a key are not shown; the simulator has a stand-in.
        SIGNING: May Server Open ["Authentication" 7 0x345e_effa, "Inference gateway" 16 0x0030_7505];
        /// A subscription, credits by the token, and what is used past a subscription are what is billed.
        BILLING: Must Server NotObservable("no endpoint shows what a key was billed") ["Inference gateway" 13 0xd184_27a7];
        /// What a key that has used everything up is answered is left open; the simulator answers as to a missing payment.
        USED_UP: May Server Open ["Inference gateway" 13 0xd184_27a7];
    }

    /// The pool of servers behind the gateway.
    mod pool {
        /// A request fails only when every server of its model has failed: as long as one answers, no failure is seen.
        FAILOVER: Must Server Check ["Errors" 6 0x1a4f_a3e5, "Inference gateway" 2 0x4594_0948, "Inference gateway" 10 0xe9d2_61d4];
        /// When every server of a model has failed, the request is answered by 503.
        ALL_FAILED: Must Server Check ["Errors" 6 0x1a4f_a3e5];
        /// The servers of one model that have failed leave other models untouched.
        PER_MODEL: Must Server Check ["Errors" 6 0x1a4f_a3e5];
        /// When a server is back, the same request is answered again.
        RECOVERS: Must Server Check ["Errors" 6 0x1a4f_a3e5];
        /// A request that sends the gateway's cookies back is answered.
        COOKIES: Must Server Check ["Inference gateway" 10 0xe9d2_61d4];
        /// A server that fails is asked less, and one session is kept on one server.
        ROUTING: Must Server NotObservable("no answer says which server it came from") ["Inference gateway" 10 0xe9d2_61d4];
        /// Name, attributes and presence of the cookie are not shown; the simulator varies them.
        COOKIE_NAME: May Server Open ["Inference gateway" 10 0xe9d2_61d4];
        /// What counts as a failure is left open; the simulator also goes on after an answer that is none.
        FAILURE: May Server Open ["Errors" 6 0x1a4f_a3e5];
    }

    /// Servers called directly.
    mod direct {
        /// A listed server answers chats at its own URL with the gateway's key.
        CHAT: Must Server Check ["Direct server access" 1 0x4f8b_6cef, "Direct server access" 2 0x29f1_95fb, "Inference gateway" 17 0xcaf4_cb87, "Authentication" 1 0x55b7_4e5a, "Authentication" 2 0xe9d2_64a6];
        /// A listed server answers completions at its own URL.
        COMPLETIONS: Must Server Check ["Direct server access" 1 0x4f8b_6cef, "Direct server access" 2 0x29f1_95fb];
        /// A listed server answers messages at its own URL.
        MESSAGES: Must Server Check ["Direct server access" 1 0x4f8b_6cef, "Direct server access" 2 0x29f1_95fb];
        /// Every server that a model lists takes the key.
        EVERY_SERVER: Must Server Check ["Authentication" 2 0xe9d2_64a6, "Direct server access" 1 0x4f8b_6cef, "Direct server access" 2 0x29f1_95fb];
        /// A listed server refuses an invalid key with 401.
        INVALID_KEY: Must Server Check ["Authentication" 1 0x55b7_4e5a, "Authentication" 3 0x3741_f6ca];
        /// A listed server refuses a missing key with 401, or with 402 where the payment flow is on.
        MISSING_KEY: Must Server Check ["Authentication" 1 0x55b7_4e5a, "Authentication" 3 0x3741_f6ca];
        /// What else a server offers is left open; the simulator's offer what the gateway does but for discovery.
        OTHERS: May Server Open ["Direct server access" 1 0x4f8b_6cef];
        /// A direct call has neither routing by health nor a session.
        ALONE: Must Server NotObservable("no answer says which server it came from") ["Inference gateway" 18 0x8c8a_4b40, "Direct server access" 3 0x6ad6_b532];
    }

    /// Confidential deployments and the clients that verify them.
    mod confidential {
        /// An entry of the confidential scheme is not used as an address.
        NOT_AN_ADDRESS: Must Client Client ["Model discovery entry" 4 0xfa6f_c061, "Model discovery entry" 5 0xd18a_5c40];
        /// The item hash is resolved to the current address before a request.
        RESOLVED: Must Client Client ["Model discovery entry" 5 0xd18a_5c40, "Direct server access" 5 0x49f8_6e3a];
        /// Not one byte of a request is written before the enclave is attested.
        ATTESTED_FIRST: Must Client Client ["Authentication" 5 0x7ec3_f51f, "Direct server access" 5 0x49f8_6e3a];
        /// An enclave that fails verification gets no request.
        REFUSED: Must Client Client ["Authentication" 5 0x7ec3_f51f];
        /// Requests go only over a connection with the certificate that was attested.
        PINNED: Must Client Client ["Direct server access" 5 0x49f8_6e3a];
        /// After a boot, with its new port and certificate, nothing is sent before it is resolved and attested anew.
        REBOOTED: Must Client Client ["Model discovery entry" 6 0x8938_817d, "Direct server access" 5 0x49f8_6e3a];
        /// Every boot has a fresh port and a fresh certificate.
        FRESH: Must Server NotObservable("how an item hash is resolved is not shown") ["Model discovery entry" 6 0x8938_817d];
        /// The key is checked inside the enclave.
        KEY_INSIDE: Must Server NotObservable("where a key is checked shows in no answer") ["Authentication" 4 0x128a_e03d];
        /// Confidential models run in a trusted execution environment that can be attested.
        ENCLAVE: Must Server NotObservable("how an enclave is attested is not shown") ["Inference gateway" 9 0xf639_fcb6];
        /// How hashes are resolved and enclaves attested is not shown; the simulator has stand-ins.
        STAND_INS: May Server Open ["Model discovery entry" 5 0xd18a_5c40, "Direct server access" 5 0x49f8_6e3a];
    }

    /// What a client keeps.
    mod client {
        /// The key goes out in the header `Authorization` after `Bearer`.
        BEARER: Must Client Client ["Authentication" 1 0x55b7_4e5a];
        /// Discovery is asked again from time to time, and no server's URL is fixed.
        DISCOVERS_AGAIN: Must Client Client ["Direct server access" 4 0xc529_ddec, "Model discovery entry" 7 0x67b3_e7c1];
        /// A URL that discovery no longer lists is no longer used.
        NO_VANISHED_URL: Must Client Client ["Direct server access" 4 0xc529_ddec, "Model discovery entry" 7 0x67b3_e7c1];
        /// After a failure of one server another one of the list is tried.
        OTHER_SERVER: Must Client Client ["Direct server access" 3 0x6ad6_b532];
        /// An error event in a stream is taken as the failure that it is.
        ERROR_EVENT: Must Client Client ["Events" 2 0xff72_a7b2];
        /// A stream that dies midway is not taken for a whole answer.
        DEAD_STREAM: Must Client Client ["Events" 2 0xff72_a7b2];
        /// After a 402 the request is sent again with `X-PAYMENT` and without a key.
        PAYMENT: Must Client Client ["Authentication" 6 0xd11c_b479, "Errors" 3 0x99ac_099d];
        /// A cookie that the gateway set is sent back.
        COOKIES: Should Client Client ["Inference gateway" 10 0xe9d2_61d4];
        /// After a 401 the key is not tried again and again: it is to be checked.
        REFUSED_KEY: Should Client Client ["Errors" 2 0xa7a5_b4e0];
        /// After a 503 the request is tried again a little later.
        UNAVAILABLE: Should Client Client ["Errors" 6 0x1a4f_a3e5];
    }

    /// Bad input: an error of the client's kind or an answer, and never an internal error.
    mod input {
        /// A body that is not UTF-8 is refused.
        NOT_UTF8: Must Server Check ["Errors" 1 0x8006_efde, "Errors" 5 0x1d28_2805];
        /// A body nested too deep to be read gets an error of the client's kind or an answer.
        DEEP: Must Server Check ["Errors" 1 0x8006_efde, "Errors" 5 0x1d28_2805];
        /// A body of many megabytes gets an error of the client's kind or an answer; how much is taken is not shown.
        LARGE: Must Server Check ["Errors" 1 0x8006_efde, "Errors" 5 0x1d28_2805];
        /// A role that nobody knows gets a validation error or an answer.
        UNKNOWN_ROLE: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 6 0x1f5a_3d81, "Errors" 5 0x1d28_2805];
        /// An image that is no base64 data gets an error of the client's kind or an answer.
        IMAGE_DATA: Must Server Check ["Chat request body (`POST /v1/chat/completions`)" 11 0x32fe_0984, "Errors" 5 0x1d28_2805];
        /// A number beyond all measure gets an error of the client's kind or an answer.
        HUGE_NUMBER: Must Server Check ["Errors" 1 0x8006_efde, "Errors" 5 0x1d28_2805];
        /// A path that no endpoint has, with encoded slashes, dots or zero bytes, gets no internal error.
        ODD_PATH: Must Server Check ["Errors" 1 0x8006_efde];
        /// How much a request may hold is not shown; the simulator has limits.
        LIMITS: May Server Open rule "input.limits" ["Errors" 5 0x1d28_2805];
    }
}
