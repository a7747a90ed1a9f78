import { defineScreen } from '../../frame/screen.tsx';
import { SignIn } from './sign-in.tsx';

export const screens = [defineScreen({ path: 'sign-in', title: 'Sign in', view: SignIn })];
