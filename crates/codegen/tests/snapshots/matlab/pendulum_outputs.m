function y = pendulum_outputs(t, x, w)
% Computes what is reported.
%
% pendulum
%
% Model pendulum, version 1.2; written by cardan 0.1.0.
%
% A driven pendulum with an elastic stop.
%
% Functions, in the order in which they are called:
%   pendulum_setup: Computes what depends on parameters alone.
%   pendulum_derivatives: Computes the time derivatives of the state.
%   pendulum_outputs: Computes what is reported.
%
% Array w (4 numbers) carries intermediate results between them.
%
% Array p: parameters
%   1 m [kg] mass of the bob
%   2 L [m] length of the rod
%   3 g [m/s^2] gravity
%   4 k.stop [N*m/rad] stiffness of the stop
%
% Array start: values at the beginning
%   1 start angle [rad] angle at the beginning
%
% Number t: time
%   t [s] time
%
% Array x: state
%   1 θ [rad] angle from the vertical
%   2 der(θ) [rad/s] angular velocity
%
% Array dx: time derivatives of the state
%   1 der(θ) [rad/s] angular velocity
%   2 der(der(θ)) [rad/s^2] angular acceleration
%
% Array y: reported quantities
%   1 energy [J] kinetic and potential energy
%   2 torque of the stop [N*m]
%   3 hit whether the stop is touched
%
% Operations:
%   pendulum_setup: 5 mul
%   pendulum_derivatives: 2 mul + 3 add + 1 div + 2 trig + 2 compare
%   pendulum_outputs: 4 mul + 3 add + 1 trig + 2 compare
%
% Before the first call, w = zeros(4, 1).

    y = zeros(3, 1);

    theta = x(1); % [rad] angle from the vertical
    theta_dot = x(2); % [rad/s] angular velocity

    k_stop = w(1); % [N*m/rad] stiffness of the stop
    z3 = w(3);
    z4 = w(4);

    % Stage motion.
    hit = 0.5 < theta;

    % Reported quantities.
    % energy [J]: kinetic and potential energy
    y(1) = z3*(1.0 - cos(theta)) + theta_dot*theta_dot*z4;
    y(2) = choose(hit, k_stop*(theta - 0.5), 0.0); % torque of the stop [N*m]
    y(3) = double(hit); % hit: whether the stop is touched
end

% The first number if the condition holds, otherwise the second.
function y = choose(condition, a, b)
    if condition
        y = a;
    else
        y = b;
    end
end
