// A publish function that does nothing, and keeps what it was asked.
import type { ConnectAws } from "@outrigger/cli";
import type { PublisherRequest } from "@outrigger/publisher";

/** What the answer to a request has besides, or in place of, "done". */
type AnswerTo = (request: PublisherRequest, target: Parameters<ConnectAws>[0]) => object | Promise<object>;

/** @returns the way to a deployment that answers everything, and the requests that came, the oldest first */
export function askedPublisher(connect: ConnectAws, answerTo: AnswerTo = () => ({})) {
  const asked: PublisherRequest[] = [];
  const connectAsked: ConnectAws = async (target) => ({
    ...(await connect(target)),
    askPublisher: async (request) => {
      asked.push(request);
      return { ok: true, message: "done", seq: 1, changed: true, warnings: [], ...(await answerTo(request, target)) };
    },
  });
  return { asked, connect: connectAsked };
}
