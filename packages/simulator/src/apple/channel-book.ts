/** The broadcast channels of the simulated Apple, and the broadcasts that it accepted. */
import { randomBytes } from 'node:crypto';
import type { AppleEnvironment } from '../ledger.ts';

/** 0: Apple keeps nothing for devices that are offline; 1: it keeps the newest broadcast. */
export type StoragePolicy = 0 | 1;

export interface AppleChannel {
  /** In Base64, as at Apple. */
  id: string;
  bundleId: string;
  environment: AppleEnvironment;
  storagePolicy: StoragePolicy;
}

/** An accepted broadcast. */
export interface AppleBroadcast {
  channelId: string;
  bundleId: string;
  environment: AppleEnvironment;
  requestId: string;
  /** The request's headers, names in lower case. */
  headers: Record<string, string>;
  payload: Readonly<Record<string, unknown>>;
  at: Date;
}

type Owner = Pick<AppleChannel, 'bundleId' | 'environment'>;

const ID_BYTES = 16;
const BROADCASTS_KEPT = 10_000;

export type ChannelBook = ReturnType<typeof createChannelBook>;

/** @param channelsMax channels of an app in an environment; 10,000 at Apple */
export function createChannelBook(channelsMax: number) {
  const channels = new Map<string, AppleChannel>();
  const disabled = new Set<string>();
  const broadcasts: AppleBroadcast[] = [];
  const list = ({ bundleId, environment }: Owner): AppleChannel[] =>
    [...channels.values()].filter((one) => one.bundleId === bundleId && one.environment === environment);
  const read = ({ bundleId, environment }: Owner, id: string): AppleChannel | undefined => {
    const found = channels.get(id);
    return found?.bundleId === bundleId && found.environment === environment ? found : undefined;
  };
  return {
    /** Whether the app may use channels: Apple's broadcast capability. */
    isEnabled: (bundleId: string): boolean => !disabled.has(bundleId),
    /** From then on, requests about channels of the app are refused. */
    disable: (bundleId: string): void => void disabled.add(bundleId),
    /** @returns undefined if the app has as many channels in this environment as Apple allows */
    create: (owner: Owner, storagePolicy: StoragePolicy): AppleChannel | undefined => {
      if (list(owner).length >= channelsMax) return undefined;
      const { bundleId, environment } = owner;
      const id = randomBytes(ID_BYTES).toString('base64');
      const channel = { id, bundleId, environment, storagePolicy };
      channels.set(id, channel);
      return channel;
    },
    read,
    /** @returns false if there is no such channel */
    delete: (owner: Owner, id: string): boolean => read(owner, id) !== undefined && channels.delete(id),
    list,
    all: (): AppleChannel[] => [...channels.values()],
    accept: (broadcast: AppleBroadcast): void => {
      broadcasts.push(broadcast);
      if (broadcasts.length > BROADCASTS_KEPT) broadcasts.shift();
    },
    /** The newest ones, oldest first. */
    broadcasts: (): AppleBroadcast[] => [...broadcasts],
    /** Removes channels and broadcasts. */
    reset: (): void => {
      channels.clear();
      disabled.clear();
      broadcasts.length = 0;
    },
  };
}
