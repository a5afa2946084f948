// The process as one cluster of several sees it.
import type { Io } from "../terminal/io.ts";

/**
 * Makes the process of each cluster: its lines begin with the cluster's name, and it is asked to stop only while it runs. One that begins
 * after the person asked to stop is asked at once. The process itself is asked once, so a second signal ends it.
 */
export function ownIos(io: Io): <Result>(cluster: string, run: (io: Io) => Promise<Result>) => Promise<Result> {
  let asked: Promise<void> | undefined;
  return async (cluster, run) => {
    let hasEnded = false;
    const stopped = () => {
      asked ??= io.stopped();
      const stopping = asked;
      return new Promise<void>((resolve) => void stopping.then(() => hasEnded || resolve()));
    };
    const stderr = { write: (text: string) => io.stderr.write(text.replaceAll(/^(?=.)/gm, `${cluster}: `)) };
    try {
      return await run({ ...io, stderr, stopped });
    } finally {
      hasEnded = true;
    }
  };
}
