// Plain JavaScript: loaded with --require into the runtime's own process, on the deployed Node.
// Takes the place of the one compiled part of Lambda's runtime interface client, `rapid-client.node`: an HTTP client on curl
// that takes cmake and minutes to build. Like that, `next` waits in another thread, and `done` and `error` keep the event
// loop until the Runtime API has answered, whatever it answers.
const Module = require("node:module");
const { request } = require("node:http");
const { Worker, isMainThread, workerData } = require("node:worker_threads");

const ROOT = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;

if (isMainThread) {
  const load = Module._extensions[".node"];
  Module._extensions[".node"] = (module, file) => {
    if (!file.endsWith("rapid-client.node")) return load(module, file);
    module.exports = { next, done, error };
  };
  const resolve = Module._resolveFilename;
  Module._resolveFilename = (name, ...others) =>
    name === "./rapid-client.node" ? "/rapid-client.node" : resolve(name, ...others);
} else {
  const { path, body, headers, flag } = workerData;
  const end = () => {
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  };
  const call = request(`${ROOT}${path}`, { method: "POST", headers }, (response) => response.resume().on("end", end));
  call.on("error", end).end(body);
}

function next() {
  return new Promise((resolve, reject) => {
    const call = request(`${ROOT}/next`, { agent: false }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => resolve({ bodyJson: Buffer.concat(chunks).toString(), headers: response.headers }));
    });
    call.on("error", reject).end();
  });
}

function done(id, body) {
  post(`/${id}/response`, body, {});
}

function error(id, body, xray) {
  post(`/${id}/error`, body, { "lambda-runtime-function-xray-error-cause": encodeURIComponent(xray).slice(0, 1000) });
}

function post(path, body, headers) {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(__filename, { workerData: { path, body, headers, flag }, execArgv: [] });
  worker.on("error", () => {});
  Atomics.wait(flag, 0, 0);
}
