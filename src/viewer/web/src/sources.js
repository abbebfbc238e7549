// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Where frames come from: a simulation that runs (LiveSource) or this very file (FileSource). Both
// have a scene and a history; a live one also obeys.
import {decodeFrame, decodeHistory, unpackFrames} from './frames.js';
import {History} from './history.js';

const MEMORY = 256 << 20;
const RECONNECT = 1000;  // ms

const NO_STATUS = {playing: false, rate: 1, end: null, earliest: null, inputs: [], grabbed: -1, pull: '', stiffness: 0, failure: ''};

export class FileSource {
  live = false;
  connected = false;

  async load() {
    this.scene = JSON.parse(document.getElementById('scene').textContent);
    this.status = {...NO_STATUS, failure: this.scene.failure};
    this.history = new History();
    for (const frame of await unpackFrames(document.getElementById('frames').textContent)) {
      this.history.add(frame);
    }
  }
}

export class LiveSource {
  live = true;
  told = {...NO_STATUS};  // by the program
  asked = [];             // commands that it has not answered yet, and what they make of the status
  name = Math.random().toString(36).slice(2);
  sent = 0;
  connected = false;
  onFrame = () => {};
  onStatus = () => {};
  onMessage = () => {};

  async load() {
    this.scene = await (await fetch('scene.json')).json();
    this.history = new History(MEMORY);
    // Connected before the past is asked for, so that nothing falls between the two.
    this.early = [];
    await new Promise((resolve) => this.connect(resolve));
    for (const frame of decodeHistory(await (await fetch('history.bin')).arrayBuffer())) this.history.add(frame);
    for (const frame of this.early) {
      if (!(frame.t <= this.history.last?.t)) this.history.add(frame);
    }
    this.early = null;
  }

  connect(opened = () => {}) {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      if (this.lost) return location.reload();  // the program was started again: perhaps with another scene
      this.connected = true;
      this.onStatus();
      opened();
    };
    socket.onmessage = ({data}) => {
      if (typeof data === 'string') return this.receive(JSON.parse(data));
      const frame = decodeFrame(data);
      if (this.early) return this.early.push(frame);
      this.history.add(frame);
      this.onFrame(frame);
    };
    socket.onclose = () => {
      this.connected = false;
      this.lost = true;
      Object.assign(this.told, {grabbed: -1, pull: ''});  // nothing is pulled, and nothing asked for comes
      this.asked = [];
      this.onStatus();
      setTimeout(() => this.connect(), RECONNECT);
    };
    this.socket = socket;
  }

  receive(message) {
    if (message.type === 'status') {
      this.told = message;
      this.asked.splice(0, 1 + this.asked.findIndex(({id}) => id === message.obeyed));
      this.onStatus();
    } else {
      // Of an error a status says whose command it was; what was refused never came so far.
      if (message.type === 'refused') this.asked = [];
      this.onMessage(message.text);
    }
  }

  // What was asked for counts at once. A status that was on its way meanwhile does not know of it.
  get status() { return Object.assign({}, this.told, ...this.asked.map(({change}) => change)); }

  send(command) {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    const {do: verb, value, index} = command, change = {}, id = `${this.name} ${++this.sent}`;
    if (verb === 'play' || verb === 'pause' || verb === 'step') change.playing = verb === 'play';
    if (verb === 'rate') change.rate = value;
    if (verb === 'grab') Object.assign(change, {grabbed: index, pull: id});
    if (Object.keys(change).length) this.asked.push({id: (command.id = id), change});
    this.socket.send(JSON.stringify(command));
    this.onStatus();
  }
}
