// Runs the contract of Parameter Store against the fake through both its doors, and against moto, which knows nothing of
// the fake: what the two agree on is not our own invention.
import { findMoto } from "../support/moto-server.ts";
import { openFakeServer, openFakeServerSigned, openInProcess, openMoto, openMotoSigned } from "./backend.ts";
import { MOTO_DIFFERENCES } from "./moto-differences.ts";
import { describeContract } from "./parameter-store-contract.ts";

describeContract("the fake in process", openInProcess);
describeContract("the fake over HTTP, through the AWS SDK", openFakeServer);
describeContract("the fake over HTTP, read as serving reads", openFakeServerSigned);

const moto = findMoto();

describeContract("moto, through the AWS SDK", () => openMoto(moto.python), MOTO_DIFFERENCES, moto.lacking);
describeContract("moto, read as serving reads", () => openMotoSigned(moto.python), MOTO_DIFFERENCES, moto.lacking);
