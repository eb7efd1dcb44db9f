// A server whose every response is hostile markup. An unsafe report would execute it. Prints its port.
import { createServer } from "node:http";

const hostile = `</script></style></pre><script>document.title='acted'</script><img src=x onerror="document.title='acted'"><!-- \u202e\u2066\0 <a href='javascript:1'>\u001b[31m`;
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const words = { error: hostile, message: hostile, list: [1, 2, 3], again: "long ".repeat(40) };
    response.writeHead(request.url.length % 2 ? 200 : 418, { "content-type": "application/json", "x-words": hostile.replace(/[^\x20-\x7e]/g, "") });
    response.end(request.url.length % 3 ? JSON.stringify(words) : hostile);
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
