import { app } from '../../frame/session.ts';
import { AddApp } from './add-app.tsx';
import { Guide } from './guide.tsx';

/** `start` adds an app; below an app it leads to the first push. */
export function Start() {
  return app.value === undefined ? <AddApp /> : <Guide />;
}
