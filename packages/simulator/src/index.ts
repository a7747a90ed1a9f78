/** All exports of the package; see README.md. */
export { makeCertificate } from './certificate.ts';
export type { FaultOrder } from './faults.ts';
export type { ServiceAccount } from './google/accounts.ts';
export type { ReceivedPush } from './ledger.ts';
export { startSimulator } from './simulator.ts';
export type { Simulator, SimulatorOptions } from './surface.ts';
export { deriveSubscription, type WebService, type WebSubscription } from './web/subscriptions.ts';
export { type SimulatorFiles, writeSimulatorFiles } from './write-files.ts';
