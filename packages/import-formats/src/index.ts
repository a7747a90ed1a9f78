/** All exports of the package, besides `plain-text.ts`; see README.md. */
export { convertExport, type DeviceLine, type DeviceRules, type Fitted } from './convert.ts';
export { emptyExportReport, type ExportReport, listed } from './export-report.ts';
export type { Device, LeftOut, NotMapped } from './service.ts';
export { type ServiceName, serviceNames } from './services.ts';
