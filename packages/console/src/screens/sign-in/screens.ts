import { defineScreen } from '../../frame/screen.ts';
import { SignIn } from './sign-in.ts';

export const screens = [defineScreen({ path: 'sign-in', title: 'Sign in', view: SignIn })];
