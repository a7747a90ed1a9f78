import { defineScreen } from '../../frame/screen.ts';
import { Audit } from './audit.ts';

export const screens = [defineScreen({ path: 'audit', title: 'Audit log', view: Audit })];
