// Plain JavaScript: it runs as Lambda does, on the deployed Node and without a loader.
// What Lambda and API Gateway are to a function: loads the handler of the file that is named, once, and hands it every call
// on loopback. A POST to /invoke is an event as it is; any other request becomes API Gateway's event (payload 2.0).
const { createServer } = require("node:http");

const { handler } = require(process.argv[2]);
const context = { getRemainingTimeInMillis: () => 30_000 };

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  try {
    if (request.url === "/invoke")
      return response.end(JSON.stringify((await handler(JSON.parse(body), context)) ?? null));
    const { statusCode, headers, body: answer } = await handler(gatewayEvent(request, body), context);
    response.writeHead(statusCode, headers).end(answer);
  } catch (error) {
    response.writeHead(502).end(String(error));
  }
});

server.listen(0, "127.0.0.1", () => console.error(`listening on ${server.address().port}`));

function gatewayEvent({ method, url, headers }, body) {
  const { pathname, search, searchParams } = new URL(url, "http://localhost");
  return {
    version: "2.0",
    routeKey: "POST /t/{token}/inject/{proxy+}",
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers,
    queryStringParameters: Object.fromEntries(searchParams),
    requestContext: { stage: "$default", http: { method, path: pathname } },
    body,
    isBase64Encoded: false,
  };
}
