import { defineScreen } from '../../frame/screen.tsx';
import { Audit } from './audit.tsx';

export const screens = [defineScreen({ path: 'audit', title: 'Audit log', view: Audit })];
