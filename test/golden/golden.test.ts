// Every suite on the conformance data, in one file: most of their time is the making of some hundred injectors.
import { findCases } from "./cases.ts";
import { describeConformance } from "./conformance.ts";
import { describeReinjection } from "./reinjection.ts";

const cases = await findCases();

describeConformance(cases);
describeReinjection(cases);
