import { defineScreen } from '../../frame/screen.tsx';
import { Invite } from './invite.tsx';

export const screens = [defineScreen({ path: 'invite', title: 'Welcome', view: Invite })];
