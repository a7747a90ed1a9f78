/** The changes of one device, as its page says them. */
export const actionLabels: Readonly<Record<string, string>> = {
  'device.registered': 'Device registered',
  'device.updated': 'Device changed',
  'device.flagged_development': 'Device flagged as development',
  'device.unflagged_development': 'Development flag removed',
  'device.erased': 'Device erased',
  'device.events_reported': 'Events of a device reported',
  'device.open_reported': 'Open of a push reported',
};
