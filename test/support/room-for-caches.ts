// Caches that live across requests have the same room for each file of tests. The inject function and commands that read a cluster say, for
// good, how little of their process's memory they may take: what came after one of them in a process compiled the shipped tree again and again.
import { sharedMemory } from "@outrigger/base";

sharedMemory.limit(256_000_000);
