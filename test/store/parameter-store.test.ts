// Runs the contract of Parameter Store against the fake through both of its interfaces, and against moto, which knows nothing of
// the fake: what the two agree on is not our own invention.
import { afterAll } from "vitest";
import { findMoto, type MotoServer, startMoto } from "../support/moto-server.ts";
import { openFakeServer, openFakeServerSigned, openInProcess, openMoto, openMotoSigned } from "./backend.ts";
import { MOTO_DIFFERENCES } from "./moto-differences.ts";
import { describeContract } from "./parameter-store-contract.ts";

describeContract("the fake in process", openInProcess);
describeContract("the fake over HTTP, through the AWS SDK", openFakeServer);
describeContract("the fake over HTTP, read as serving reads", openFakeServerSigned);

const { python, lacking } = findMoto();
let moto: Promise<MotoServer> | undefined;

function inMoto(open: typeof openMoto, region: string) {
  return () => {
    moto ??= startMoto(python);
    return open(moto, region);
  };
}

describeContract("moto, through the AWS SDK", inMoto(openMoto, "us-east-1"), MOTO_DIFFERENCES, lacking);
describeContract("moto, read as serving reads", inMoto(openMotoSigned, "eu-west-1"), MOTO_DIFFERENCES, lacking);

afterAll(async () => (await moto)?.stop());
