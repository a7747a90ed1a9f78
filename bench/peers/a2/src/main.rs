//! Sends by a2: one client for all pushes, as its documentation says, and a task for each push in flight.

use std::fs::{read_to_string, File};
use std::io::stdin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Instant;

use a2::{
    Client, ClientConfig, CollapseId, DefaultNotificationBuilder, Endpoint, NotificationBuilder, NotificationOptions,
    Priority, PushType,
};
use serde_json::Value;

struct Sender {
    client: Client,
    tokens: Vec<String>,
    topic: String,
    notification_id: String,
    in_flight: u64,
}

#[tokio::main]
async fn main() {
    let mut lines = stdin().lines().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let given = lines.next().unwrap();
    let text = |name: &str| given[name].as_str().unwrap().to_string();
    std::env::set_var("APNS_HOST", format!("{}:{}", text("host"), given["port"]));
    let key = File::open(text("keyFile")).unwrap();
    let config = ClientConfig::new(Endpoint::Production);
    let sender = Arc::new(Sender {
        client: Client::token(key, text("keyId"), text("teamId"), config).unwrap(),
        tokens: read_to_string(text("tokensFile")).unwrap().lines().map(String::from).collect(),
        topic: text("topic"),
        notification_id: text("notificationId"),
        in_flight: given["inFlight"].as_u64().unwrap(),
    });
    for run in lines {
        let started = Instant::now();
        let first = run["first"].as_u64().unwrap();
        let accepted = send(&sender, first, run["count"].as_u64().unwrap(), run["different"] == true).await;
        println!("{{\"accepted\":{accepted},\"ms\":{}}}", started.elapsed().as_secs_f64() * 1000.0);
    }
}

async fn send(sender: &Arc<Sender>, first: u64, count: u64, different: bool) -> u64 {
    let next = Arc::new(AtomicU64::new(first));
    let tasks: Vec<_> = (0..sender.in_flight)
        .map(|_| {
            let (sender, next) = (sender.clone(), next.clone());
            tokio::spawn(async move {
                let mut accepted = 0;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= first + count {
                        return accepted;
                    }
                    accepted += u64::from(sender.push(number, different).await);
                }
            })
        })
        .collect();
    let mut accepted = 0;
    for task in tasks {
        accepted += task.await.unwrap();
    }
    accepted
}

impl Sender {
    async fn push(&self, number: u64, different: bool) -> bool {
        let alert = if different { format!("Hello user-{number}") } else { "Hello".to_string() };
        let options = NotificationOptions {
            apns_topic: Some(&self.topic),
            apns_push_type: Some(PushType::Alert),
            apns_priority: Some(Priority::High),
            apns_expiration: Some(0),
            apns_collapse_id: Some(CollapseId::new(&self.notification_id).unwrap()),
            ..Default::default()
        };
        let builder = DefaultNotificationBuilder::new().set_body(&alert);
        let mut payload = builder.build(&self.tokens[number as usize], options);
        payload.add_custom_data("order_id", &4711).unwrap();
        payload.add_custom_data("_nid", &self.notification_id).unwrap();
        self.client.send(payload).await.is_ok()
    }
}
