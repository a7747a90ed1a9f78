/** docs/api.md in TypeScript: the same calls in the same order. `CARILLON_URL` and `CARILLON_KEY` say where, and with which key. */
import { Carillon } from '@carillon/client';
import { askAboutAudiences } from './audiences.ts';
import { firstPush, registerDevices, reportEvents } from './devices.ts';
import { followNotification } from './following.ts';
import { readTheApp, workAsAdmin } from './keys.ts';
import { sendNotifications, setMoments } from './sending.ts';

const { CARILLON_URL: url = 'http://127.0.0.1:8080', CARILLON_KEY: key = '' } = process.env;
const carillon = new Carillon({ url, key });

await firstPush(carillon);
const deviceId = await registerDevices(carillon);
await reportEvents(carillon, deviceId);
const sent = await sendNotifications(carillon);
await setMoments(carillon, deviceId);
await followNotification(carillon, sent.id, deviceId);
await askAboutAudiences(carillon, sent.audienceId, deviceId);
await workAsAdmin(carillon);
await readTheApp(carillon);
