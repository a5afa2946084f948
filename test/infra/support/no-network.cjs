// Plain JavaScript: `node --require` loads it before any loader can be registered.
// Loaded into a process that must not use the network: a connection to any address is an error. Pipes are let through.
const net = require("node:net");

const connect = net.Socket.prototype.connect;

net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof options === "object" && options !== null && typeof options.path === "string")
    return connect.apply(this, args);
  throw new Error("This process must do without a network");
};
